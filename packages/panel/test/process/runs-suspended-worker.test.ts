import {
  expectStatusesMatchSites,
  startProcessFixture,
  usePanelDatabase,
  waitForSucceededTasks,
} from '@steward/testkit/panel/process-fixture.ts';
import { startWorker } from '@steward/testkit/panel/start-process.ts';
import { expect, it } from 'vitest';

const LONG = 300_000;

it('a worker that resumes after its tasks were taken over causes no second call and no wrong result', {
  timeout: LONG,
}, async () => {
  const database = await usePanelDatabase();
  const fixture = await startProcessFixture({ database });
  await waitForSucceededTasks(fixture);
  fixture.worker.kill('SIGSTOP');
  // Slow enough that the test sees the other worker handle the former tasks.
  for (const site of fixture.sites) site.faults.latencyMs = 500;
  await startWorker(fixture.env);
  const takenOver = async () => {
    const { rows } = await database.pool.query(
      'SELECT id FROM run_tasks WHERE lost_at IS NOT NULL',
    );
    return rows.length;
  };
  // Resumes while the other worker handles its former tasks.
  await expect.poll(takenOver, { timeout: 90_000, interval: 50 }).toBeGreaterThan(0);
  fixture.worker.kill('SIGCONT');
  for (const site of fixture.sites) site.faults.latencyMs = 0;
  await expectStatusesMatchSites(fixture);

  const { rows: records } = await database.pool.query(
    "SELECT site_id, count(*) AS count FROM audit_log WHERE entity_type = 'remote_update' GROUP BY 1",
  );
  expect(records.map(({ count }) => count)).toEqual(Array(fixture.sites.length).fill(1));
  expect((await database.pool.query('SELECT * FROM site_calls')).rows).toEqual([]);
});
