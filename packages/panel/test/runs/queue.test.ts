import { testLogger } from '@steward/testkit/logs.ts';
import { createTestDatabase, type TestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSurelyHeld, openQueue, type Queue, type TakenJob } from '../../src/lib/queue.ts';

let database: TestDatabase;
let [first, second] = [] as unknown as [Queue, Queue];

beforeAll(async () => {
  database = await createTestDatabase();
  const open = () =>
    openQueue({ ...database, log: testLogger(), supervises: false, leaseSeconds: 30 });
  [first, second] = [await open(), await open()];
});
afterAll(async () => {
  await first.close();
  await second.close();
  await database.drop();
});

const LONG_AGO = new Date('2020-01-01T00:00:00Z');

/** A job that the first process had, and the second has now. */
async function takenOver() {
  await database.db
    .transaction()
    .execute((trx) => first.add(trx, [{ taskId: 1, host: 'a.example', priority: 0 }]));
  const [before] = await first.take(1);
  if (!before) throw new Error('There was no job.');
  await first.giveBack([before]);
  const [after] = await second.take(1);
  if (!after) throw new Error('The job did not come back.');
  const stored = async () => {
    const text = 'SELECT state, heartbeat_on FROM pgboss.job WHERE id = $1';
    return (await database.pool.query(text, [before.id])).rows[0];
  };
  const text = 'UPDATE pgboss.job SET heartbeat_on = $2 WHERE id = $1';
  await database.pool.query(text, [before.id, LONG_AGO]);
  return { before, after, stored };
}

const stillTaken = (queue: Queue, job: TakenJob) =>
  database.db.transaction().execute((trx) => queue.stillTaken(trx, [job]));

async function surelyHeld({ id, taking }: TakenJob) {
  const condition = isSurelyHeld(sql`${id}::uuid`, sql`${taking}::integer`);
  const { rows } = await sql<{ held: boolean }>`SELECT ${condition} AS held`.execute(database.db);
  return rows[0]?.held;
}

describe('a job that was queued with another lease', () => {
  it('has the lease of the process that takes it', async () => {
    const log = testLogger();
    const patient = await openQueue({ ...database, log, supervises: false, leaseSeconds: 60 });
    await openQueue({ ...database, log, supervises: false, leaseSeconds: 10 }).then(
      async (hasty) => {
        await database.db
          .transaction()
          .execute((trx) => hasty.add(trx, [{ taskId: 2, host: 'b.example', priority: 9 }]));
        await hasty.close();
      },
    );
    const lease = async (condition: string) =>
      (await database.pool.query(`SELECT heartbeat_seconds FROM pgboss.job WHERE ${condition}`))
        .rows;
    expect(await lease(`data->>'taskId' = '2'`)).toEqual([{ heartbeat_seconds: 10 }]);
    const [job] = await patient.take(1);
    expect(await lease(`id = '${job?.id}'`)).toEqual([{ heartbeat_seconds: 60 }]);
    await patient.close();
  });
});

describe('a job that another process has taken since', () => {
  it('keeps its id', async () => {
    const { before, after } = await takenOver();
    expect(after).toEqual({ ...before, taking: before.taking + 1 });
  });

  it('is not kept alive by the process that had it, but by the one that has it', async () => {
    const { before, after, stored } = await takenOver();
    expect(await first.keep([before])).toEqual(new Set());
    expect((await stored()).heartbeat_on).toEqual(LONG_AGO);
    expect(await second.keep([after])).toEqual(new Set([after.id]));
    expect((await stored()).heartbeat_on).not.toEqual(LONG_AGO);
  });

  it('is not given back by the process that had it, but by the one that has it', async () => {
    const { before, after, stored } = await takenOver();
    await first.giveBack([before]);
    expect((await stored()).state).toBe('active');
    await second.giveBack([after]);
    expect((await stored()).state).toBe('retry');
  });

  it('is known to be gone', async () => {
    const { before, after } = await takenOver();
    expect(await stillTaken(first, before)).toEqual(new Set());
    expect(await stillTaken(second, after)).toEqual(new Set([after.id]));
  });

  it('is surely held by the process that has it, once it has said so of late', async () => {
    const { before, after } = await takenOver();
    expect(await surelyHeld(after)).toBe(false);
    await second.keep([after]);
    expect([await surelyHeld(before), await surelyHeld(after)]).toEqual([false, true]);
  });
});
