import { testLogger } from '@steward/testkit/logs.ts';
import { createTestDatabase, waitForLocks } from '@steward/testkit/postgres/test-database.ts';
import { UNDO_SINCE_AUDIT_PARTITIONS } from '@steward/testkit/postgres/undo-migrations.ts';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAuditLog } from '../../src/features/audit/audit-log.service.ts';
import {
  addAuditPartitions,
  countMonthsAhead,
  createPartitionsAhead,
  listAuditPartitions,
} from '../../src/platform/database/audit-partitions.ts';
import { openPool } from '../../src/platform/database/connect.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { grantToRuntime } from '../../src/platform/database/runtime-role.ts';
import { RUNTIME_ROLE } from '../../src/platform/embedded-postgres/roles.ts';
import { createAuditedDatabase } from './support/audited-database.ts';
import { createPartitionedLog, month, partitionOf } from './support/partitioned-log.ts';

const FAR_FUTURE = new Date('2100-01-15T00:00:00Z');
const FILE_OF = 'SELECT pg_relation_filenode($1) AS file';

describe('the migration', () => {
  async function createUnpartitioned() {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    for (const statement of UNDO_SINCE_AUDIT_PARTITIONS)
      await database.executeAsTableOwner(statement);
    return createAuditedDatabase(database);
  }
  const migrateAsOwner = async (ownerUrl: string) => {
    const owner = openPool({ connectionString: ownerUrl }, testLogger());
    onTestFinished(() => owner.close());
    expect(await migrate(owner.db)).toContain('0040_audit_partitions');
    return () => grantToRuntime(owner.db, RUNTIME_ROLE);
  };

  it('keeps rows, hashes, ids and rights, and copies nothing', async () => {
    const { record, chain, pool, ownerUrl } = await createUnpartitioned();
    await record(5);
    await chain.seal();
    await record(2);
    const before = await pool.query('SELECT *, previous_hash::text FROM audit_log ORDER BY id');
    const [table, index] = await Promise.all(
      ['audit_log', 'audit_log_by_time'].map((name) => pool.query(FILE_OF, [name])),
    );

    const grantRights = await migrateAsOwner(ownerUrl);

    const after = await pool.query('SELECT *, previous_hash::text FROM audit_log ORDER BY id');
    expect(after.rows).toEqual(before.rows);
    expect((await pool.query(FILE_OF, ['audit_log_first'])).rows).toEqual(table?.rows);
    expect((await pool.query(FILE_OF, ['audit_log_first_by_time'])).rows).toEqual(index?.rows);
    // A process of the previous version writes with the role of the panel before rights are granted again.
    await record(1);
    await grantRights();
    expect(await chain.verify()).toMatchObject({ ok: true, records: 8, unguarded: [] });
    const { rows } = await pool.query('SELECT id FROM audit_log ORDER BY id DESC LIMIT 1');
    expect(rows[0].id).toBe(8);
  });

  it('continues a sequence that was set and not used since', async () => {
    const { record, executeAsTableOwner, pool, ownerUrl } = await createUnpartitioned();
    await executeAsTableOwner('ALTER TABLE audit_log ALTER COLUMN id RESTART WITH 500');
    await migrateAsOwner(ownerUrl);
    await record(2);
    const { rows } = await pool.query('SELECT id FROM audit_log ORDER BY id');
    expect(rows).toEqual([{ id: 500 }, { id: 501 }]);
  });

  it('moves records of a clock that was ahead to the default partition', async () => {
    const { record, chain, tamper, pool, ownerUrl } = await createUnpartitioned();
    await record(3);
    await chain.seal();
    await tamper(`UPDATE audit_log SET at = '2100-01-15' WHERE id = 2`);
    const grantRights = await migrateAsOwner(ownerUrl);
    await grantRights();
    const { rows } = await pool.query(
      'SELECT id, tableoid::regclass::text AS name FROM audit_log ORDER BY id',
    );
    expect(rows).toEqual([
      { id: 1, name: 'audit_log_first' },
      { id: 2, name: 'audit_log_default' },
      { id: 3, name: 'audit_log_first' },
    ]);
    expect((await chain.verify()).unguarded).toEqual([]);
  });

  it('does not lose a record of a writer that waits for it', async () => {
    const { record, openWriter, chain, ownerUrl, superuser } = await createUnpartitioned();
    await record(1);
    const writer = await openWriter(2);
    const migrated = migrateAsOwner(ownerUrl);
    await waitForLocks({ pool: superuser }, 1);
    const late = record(2);
    await waitForLocks({ pool: superuser }, 2);
    await writer.commit().execute();
    const [grantRights] = await Promise.all([migrated, late]);
    await grantRights();
    expect(await chain.verify()).toMatchObject({ ok: true, records: 4 });
  });
});

describe('a record', () => {
  it('belongs to the partition of its month, in UTC', async () => {
    const { recordAt, listRecordPartitions, chain, executeAsTableOwner } =
      await createPartitionedLog();
    await executeAsTableOwner(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = ''Asia/Tokyo''', current_database()); END $$`,
    );
    for (const offset of [-2, -1, 0, 1]) {
      await recordAt(new Date(month(offset).getTime() - 1));
      await recordAt(month(offset));
    }
    expect(await listRecordPartitions()).toEqual([
      'audit_log_first',
      ...[-2, -2, -1, -1, 0, 0, 1].map(partitionOf),
    ]);
    expect(await chain.verify()).toMatchObject({ ok: true, records: 8 });
  });

  it('is stored also without a partition for its month', async () => {
    const { recordAt, listRecordPartitions, chain } = await createPartitionedLog();
    await recordAt(FAR_FUTURE);
    expect(await listRecordPartitions()).toEqual(['audit_log_default']);
    expect(await chain.verify()).toMatchObject({ ok: true, records: 1 });
  });
});

describe('partitions ahead', () => {
  it('cover six months, and are created once by many processes', async () => {
    const { owner, db } = await createPartitionedLog();
    const later = month(5);
    const created = await Promise.all(
      Array.from({ length: 5 }, () => createPartitionsAhead(owner.db, later)),
    );
    expect(created.flat()).toEqual([7, 8, 9, 10, 11].map(partitionOf));
    expect(countMonthsAhead(await listAuditPartitions(db), later)).toBe(6);
  });

  it('take over the records that waited in the default partition', async () => {
    const { owner, recordAt, listRecordPartitions, chain } = await createPartitionedLog();
    await recordAt(month(8));
    await recordAt(month(0));
    await chain.seal();
    expect(await listRecordPartitions()).toEqual(['audit_log_default', partitionOf(0)]);
    // No migration ran for a year.
    await createPartitionsAhead(owner.db, month(12));
    expect(await listRecordPartitions()).toEqual([partitionOf(8), partitionOf(0)]);
    expect(await chain.verify()).toMatchObject({ ok: true, records: 2, unguarded: [] });
  });

  it('lose no record of a writer, and hide none from a reader, that runs at the same time', async () => {
    const { owner, db, superuser, recordAt, listRecordPartitions, chain } =
      await createPartitionedLog();
    await recordAt(month(8));
    const blocker = await superuser.connect();
    await blocker.query('BEGIN; LOCK TABLE audit_log_default IN ACCESS SHARE MODE');
    const created = createPartitionsAhead(owner.db, month(8));
    await waitForLocks({ pool: superuser }, 1);
    let finished = 0;
    const count = async () => {
      const { rows } = await sql<{ count: number }>`SELECT count(*) FROM audit_log`.execute(db);
      return rows[0]?.count;
    };
    const concurrent = [recordAt(month(8)), count()].map((each) =>
      each.finally(() => {
        finished += 1;
      }),
    );
    const settled = Promise.allSettled([created, ...concurrent]);
    // Each of them has finished, or waits until the partitions exist.
    await expect
      .poll(async () => {
        const { rows } = await superuser.query(
          `SELECT count(*) FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return finished + rows[0].count;
      })
      .toBeGreaterThanOrEqual(2);
    await blocker.query('ROLLBACK');
    blocker.release();
    const [creation, written, read] = await settled;
    expect(creation).toMatchObject({ status: 'fulfilled' });
    expect(written).toMatchObject({ status: 'fulfilled' });
    expect(read).toMatchObject({ value: expect.toBeOneOf([1, 2]) });
    expect(await listRecordPartitions()).toEqual([8, 8].map(partitionOf));
    expect(await chain.verify()).toMatchObject({ ok: true, records: 2, unguarded: [] });
  });

  it('are no reason to fail if the password of the owner is wrong', async () => {
    const { db } = await createPartitionedLog();
    const openAsOwner = () => Promise.reject(new Error('password authentication failed'));
    expect(await addAuditPartitions({ db, openAsOwner }, month(12))).toEqual({
      created: [],
      problem: 'password authentication failed',
    });
  });

  it('are no reason to fail for a role that may not create them; owners see a notice', async () => {
    const { db, pool, openProcess, clock } = await createPartitionedLog();
    const connection = { db, pool, directPool: pool, readDb: db, close: async () => {} };
    const openAsOwner = async () => connection;
    const later = month(12);
    expect(await addAuditPartitions({ db, openAsOwner }, later)).toEqual({
      created: [],
      problem: expect.stringMatching(/must be owner|permission denied/),
    });
    clock.time = later;
    const { monitor } = openProcess(undefined, clock);
    await monitor.check();
    expect(monitor.getWarning()).toMatchObject({
      severity: 'notice',
      problem: 'partition_missing',
      message: expect.stringContaining('npx steward migrate'),
    });
  });
});

describe('a search', () => {
  it('reads only the partitions of its time range', async () => {
    const { db, recordAt } = await createPartitionedLog();
    for (const offset of [-3, -2, -1, 0]) await recordAt(month(offset));
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      EXPLAIN SELECT * FROM audit_log WHERE at >= ${month(-1)} AND at < ${month(0)}
      ORDER BY at DESC, id DESC LIMIT 50`.execute(db);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan.match(/on audit_log_\w+/g)).toEqual([expect.stringContaining(partitionOf(-1))]);
  });

  it('returns pages across partitions, newest records first', async () => {
    const { db, recordAt } = await createPartitionedLog();
    for (const offset of [-3, -2, -1, 0, 0]) await recordAt(month(offset));
    const log = createAuditLog({ db });
    const first = await log.list({}, { limit: 3 });
    expect(first.records.map(({ id }) => id)).toEqual([5, 4, 3]);
    const second = await log.list({}, { limit: 3, before: first.next_before ?? 0 });
    expect(second.records.map(({ id }) => id)).toEqual([2, 1]);
  });
});
