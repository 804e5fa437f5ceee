import { waitForLocks } from '@steward/testkit/postgres/test-database.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createAuditLog } from '../../src/features/audit/audit-log.service.ts';
import {
  addAuditPartitions,
  countMonthsAhead,
  createPartitionsAhead,
  listAuditPartitions,
} from '../../src/features/audit/audit-partitions.ts';
import { createPartitionedLog, month, partitionOf } from './support/partitioned-log.ts';

const FAR_FUTURE = new Date('2100-01-15T00:00:00Z');

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
