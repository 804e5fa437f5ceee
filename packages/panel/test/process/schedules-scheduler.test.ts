import { once } from 'node:events';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel, startWorker } from '@steward/testkit/panel/start-process.ts';
import { startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';

const HOUR_MS = 3_600_000;
/** The scheduler starts due schedules when a worker starts, and once a minute. */
const SOON = { timeout: 120_000, interval: 250 };

/** "02:00" in UTC, some hours from now. */
const timeInHours = (hours: number) =>
  new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16);

it('two workers start a due schedule once, even if both are killed while they start it', {
  timeout: 400_000,
}, async () => {
  const database = await usePanelDatabase();
  const { env, db } = database;
  const panel = await startPanel(env, undefined, ['--role', 'web']);
  const { license_key } = await database.newLicense({ siteLimit: 2 });
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const sites = [await fleet.add('one'), await fleet.add('two')];
  const owner = await signInAt(panel.url, await database.newUser());
  const { body } = await owner.post('/panel/schedules', {
    name: 'Daily',
    selection: {},
    types: ['plugin'],
    weekdays: [1, 2, 3, 4, 5, 6, 7],
    once_on: null,
    opens_at: timeInHours(-1),
    closes_at: timeInHours(6),
    time_zone: 'UTC',
    in_site_zone: false,
    in_rings: false,
    enabled: true,
  });
  const { schedule_id } = body.schedule;
  const countRuns = async () => {
    const runs = db.selectFrom('runs').select('id').where('schedule_id', '=', schedule_id);
    return (await runs.execute()).length;
  };

  // A worker that starts the schedule waits for this lock, and is killed while it waits.
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('schedules').select('id').forUpdate().execute();
    const workers = [await startWorker(env), await startWorker(env)];
    const countWaiting = async () => {
      const { rows } = await sql<{ waiting: number }>`
        SELECT count(*)::int AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(trx);
      return rows[0]?.waiting;
    };
    await expect.poll(countWaiting, SOON).toBeGreaterThan(0);
    for (const worker of workers) {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }
  });
  expect(await countRuns()).toBe(0);

  const restarted = [await startWorker(env), await startWorker(env)];
  await expect.poll(countRuns, SOON).toBe(1);
  await expect
    .poll(async () => (await owner.get('/panel/runs')).body.runs[0].status, SOON)
    .toBe('finished');
  expect(sites.map(({ calls }) => calls)).toEqual([['update'], ['update']]);

  // After another kill, the next pass does not start the same day again.
  restarted[0]?.kill('SIGKILL');
  const passed = await readLastPass();
  await startWorker(env);
  await expect.poll(async () => (await readLastPass()) > passed, SOON).toBe(true);
  expect(await countRuns()).toBe(1);

  async function readLastPass(): Promise<string> {
    const { rows } = await sql<{ at: string | null }>`
      SELECT max(completed_on)::text AS at FROM pgboss.job
      WHERE name = 'schedules' AND state = 'completed'`.execute(db);
    return rows[0]?.at ?? '';
  }
});
