import { testLogger } from '@steward/testkit/logs.ts';
import { TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { createTestDatabase, type TestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { createAcceptAuditHead } from '../../../src/features/audit/accept-audit-head.ts';
import { createAuditService } from '../../../src/features/audit/audit.service.ts';
import { createAuditChain } from '../../../src/features/audit/audit-chain.service.ts';
import { createAuditHashes } from '../../../src/features/audit/audit-hashes.ts';
import { createAuditHead } from '../../../src/features/audit/audit-head.service.ts';
import { openHeadFile } from '../../../src/features/audit/audit-head-file.ts';
import { createAuditMonitor } from '../../../src/features/audit/audit-monitor.service.ts';
import { openPool } from '../../../src/platform/database/connect.ts';
import type { Trx } from '../../../src/platform/database/handles.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';

const ORIGIN = { actor: 'system', via: 'command_line' } as const;
const NOW = new Date('2026-06-01T12:00:00Z');

/** Creates a database for one test, which may tamper with its audit log. */
export async function createAuditedDatabase(existing?: TestDatabase) {
  const database = existing ?? (await createTestDatabase());
  if (!existing) onTestFinished(() => database.drop());
  const superuser = openPool({ connectionString: database.superuserUrl }, testLogger());
  onTestFinished(() => superuser.close());
  const secrets = createSecrets(TEST_SECRET);
  const hashes = createAuditHashes(secrets);
  const clock = { now: () => NOW };
  const audit = createAuditService({ clock, hashes });
  const chain = createAuditChain({ db: database.db, hashes });

  /** Writes one audit record for each license id. */
  const writeRecords = (trx: Trx, ...entityIds: number[]) =>
    audit.record(
      trx,
      ORIGIN,
      entityIds.map((entityId) => ({
        action: 'set_limit',
        entityType: 'license',
        entityId,
        context: { to: 5 },
      })),
    );

  return {
    ...database,
    superuser: superuser.pool,
    chain,
    writeRecords,

    /** Opens the audit services of one process, which stores its sealed head in a data directory. */
    openProcess(dataDir = database.dataDir, processClock = clock) {
      const { db } = database;
      const file = openHeadFile(dataDir, secrets);
      const head = createAuditHead({ db, hashes, file, clock, log: testLogger() });
      const sealing = createAuditChain({ db, hashes, head });
      const accept = createAcceptAuditHead({ db, audit, chain: sealing, head });
      const monitor = createAuditMonitor({
        db,
        hashes,
        head,
        clock: processClock,
        log: testLogger(),
        announce: async () => {},
      });
      return { file, head, chain: sealing, monitor, accept: (why: string) => accept(why, ORIGIN) };
    },

    /** Writes records for the licenses 1, 2, 3 …, each in its own transaction. */
    async record(count: number) {
      for (let entityId = 1; entityId <= count; entityId++) {
        await database.db.transaction().execute((trx) => writeRecords(trx, entityId));
      }
    },

    /** Writes all records in one transaction. */
    recordAtOnce: (count: number) =>
      database.db
        .transaction()
        .execute((trx) => writeRecords(trx, ...Array.from({ length: count }, (_, at) => at + 1))),

    /** Writes a record and leaves the transaction open. */
    async openWriter(entityId: number) {
      const trx = await database.db.startTransaction().execute();
      await writeRecords(trx, entityId);
      return trx;
    },

    /** Returns the links of the chain with their records, in order. */
    async sealed() {
      const { rows } = await sql<{ seq: number; record_id: number; entity_id: string }>`
        SELECT c.seq, c.record_id, a.entity_id
        FROM audit_chain c LEFT JOIN audit_log a ON a.id = c.record_id
        ORDER BY c.seq`.execute(database.db);
      return rows;
    },

    /** Removes all records after this one and their links, without a trace in the database. */
    cutAfter: (recordId: number) =>
      tamper(
        `DELETE FROM audit_chain WHERE record_id > ${recordId}`,
        `DELETE FROM audit_log WHERE id > ${recordId}`,
      ),

    tamper,
  };

  /** Acts as an attacker with all database rights, but without the panel's secret. */
  async function tamper(...statements: string[]) {
    await superuser.pool.query(
      [
        'BEGIN',
        'ALTER TABLE audit_log DISABLE TRIGGER USER',
        'ALTER TABLE audit_chain DISABLE TRIGGER USER',
        ...statements,
        'ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only',
        'ALTER TABLE audit_chain ENABLE ALWAYS TRIGGER audit_chain_append_only',
        'COMMIT',
      ].join(';\n'),
    );
  }
}
