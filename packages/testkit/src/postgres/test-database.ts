import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OWNER_ROLE, openPool, RUNTIME_ROLE } from '@steward/panel/database';
import { inject } from 'vitest';
import { testLogger } from '../logs.ts';
import { scratchRoot } from '../scratch-folder.ts';
import { showTables } from './show-tables.ts';
import { TEMPLATE } from './test-postgres.ts';

const POLL_MS = 10;

/**
 * Creates a migrated database. Pass `url` and `dataDir` to a panel process as DATABASE_URL and DATA_DIR.
 *
 * Connects with the panel's runtime role, so that every test proves that this role has sufficient rights. With `empty`,
 * the database has no tables, and its connection uses the owner role, like a panel with only one role.
 */
export async function createTestDatabase({ empty = false } = {}) {
  const server = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const log = testLogger();
  const admin = openPool({ ...server, user: 'postgres', database: 'postgres' }, log);
  const template = empty ? 'template0' : TEMPLATE;
  await admin.pool.query(
    `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY OWNER ${OWNER_ROLE}`,
  );
  // Tests hold transactions open while they start processes, which can take longer than the limit of the panel.
  const connectAs = (user: string) =>
    openPool({ ...server, user, database: name }, log, { idleMs: 0 });
  const urlFor = (user: string) =>
    `postgres://${user}:${server.password}@localhost:${server.port}/${name}?host=${encodeURIComponent(server.host)}`;
  const role = empty ? OWNER_ROLE : RUNTIME_ROLE;
  const { db, readDb, ...connection } = connectAs(role);
  // One folder per database: a sealed audit head belongs to one database.
  const dataDir = join(scratchRoot(), `steward-${name}`);
  return {
    ...connection,
    db: showTables(db),
    readDb: showTables(readDb),
    dataDir,
    /** Runs statements as the owner of the tables. The runtime role must not have these rights. */
    async executeAsTableOwner(statements: string): Promise<void> {
      const owner = connectAs(OWNER_ROLE);
      try {
        await owner.pool.query(statements);
      } finally {
        await owner.close();
      }
    },
    url: urlFor(role),
    ownerUrl: urlFor(OWNER_ROLE),
    runtimeUrl: urlFor(RUNTIME_ROLE),
    superuserUrl: urlFor('postgres'),
    async drop() {
      await connection.close();
      await admin.pool.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

/** Waits until at least `count` sessions of the database wait for a lock. */
export async function waitForLocks({ pool }: Pick<TestDatabase, 'pool'>, count: number) {
  const waiting = `SELECT count(*) AS count FROM pg_stat_activity
                   WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await pool.query(waiting)).rows[0].count < count) await delay(POLL_MS);
}

export function listAuditRecords(
  { db }: Pick<TestDatabase, 'db'>,
  entityType: string,
  entityId: number | string,
) {
  return db
    .selectFrom('audit_log')
    .selectAll()
    .where('entity_type', '=', entityType)
    .where('entity_id', '=', String(entityId))
    .orderBy('id')
    .execute();
}
