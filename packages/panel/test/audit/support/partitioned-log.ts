import { testLogger } from '@steward/testkit/logs.ts';
import { TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { onTestFinished } from 'vitest';
import { createAuditService } from '../../../src/features/audit/audit.service.ts';
import { createAuditHashes } from '../../../src/features/audit/audit-hashes.ts';
import {
  createPartitionsAhead,
  formatMonth,
  replacePartitions,
  startOfMonth,
} from '../../../src/features/audit/audit-partitions.ts';
import { openPool } from '../../../src/platform/database/connect.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { createAuditedDatabase } from './audited-database.ts';

const ORIGIN = { actor: 'system', via: 'command_line' } as const;

/** The start of a month, relative to the current one. */
export const month = (offset: number) => startOfMonth(new Date(), offset);
export const monthName = (offset: number) => formatMonth(month(offset));
export const partitionOf = (offset: number) => `audit_log_${monthName(offset).replace('-', '_')}`;

/** Creates an empty audit log whose first partition ended two months ago, as in an older installation. */
export async function createPartitionedLog() {
  const database = await createAuditedDatabase();
  const owner = openPool({ connectionString: database.ownerUrl }, testLogger());
  onTestFinished(() => owner.close());
  const bound = (from: string, to: number) =>
    `FOR VALUES FROM (${from}) TO ('${month(to).toISOString()}')`;
  await owner.db.transaction().execute(async (trx) => {
    await replacePartitions(trx, [
      { name: 'audit_log_default', bound: 'DEFAULT' },
      { name: 'audit_log_first', bound: bound('MINVALUE', -2) },
    ]);
  });
  await createPartitionsAhead(owner.db, new Date());
  const clock = { time: new Date(), now: () => clock.time };
  const hashes = createAuditHashes(createSecrets(TEST_SECRET));
  const audit = createAuditService({ clock, hashes });

  return {
    ...database,
    owner,
    clock,
    hashes,
    audit,
    env: {
      DATABASE_URL: database.runtimeUrl,
      MIGRATION_DATABASE_URL: database.ownerUrl,
      DATA_DIR: database.dataDir,
      SECRET_KEY: TEST_SECRET,
    },
    /** Writes a record with this time. */
    async recordAt(time: Date, entityId = 1): Promise<void> {
      clock.time = time;
      await database.db.transaction().execute((trx) =>
        audit.record(trx, ORIGIN, {
          action: 'set_limit',
          entityType: 'license',
          entityId,
          context: { to: 5, note: 'a\u2028b' },
        }),
      );
    },
    /** Returns the partition of each record, in the order of ids. */
    async listRecordPartitions(): Promise<string[]> {
      const { rows } = await database.pool.query(
        'SELECT tableoid::regclass::text AS name FROM audit_log ORDER BY id',
      );
      return rows.map(({ name }) => name);
    },
  };
}

export type PartitionedLog = Awaited<ReturnType<typeof createPartitionedLog>>;

/** Creates ten sealed records. Those of the two months before the current one are interleaved in the hash chain. */
export async function createOldRecords(): Promise<PartitionedLog> {
  const log = await createPartitionedLog();
  for (const offset of [-4, -3, -2, -2, -1, -2, -1, 0, -1, 0]) {
    await log.recordAt(new Date(month(offset).getTime() + 1000));
  }
  await log.chain.seal();
  log.clock.time = new Date();
  return log;
}
