import { once } from 'node:events';
import {
  expectStatusesMatchSites,
  startProcessFixture,
  waitForSucceededTasks,
  waitUntilFinished,
} from '@steward/testkit/panel/process-fixture.ts';
import { startWorker } from '@steward/testkit/panel/start-process.ts';
import { expect, it } from 'vitest';

const LONG = 300_000;

it('the tasks of a killed worker are taken over; none is lost and none runs twice', {
  timeout: LONG,
}, async () => {
  const fixture = await startProcessFixture();
  await waitForSucceededTasks(fixture);
  fixture.worker.kill('SIGKILL');
  await once(fixture.worker, 'exit');
  await startWorker(fixture.env);
  await expectStatusesMatchSites(fixture);
});

it('the syncs of a killed worker are repeated', {
  timeout: LONG,
}, async () => {
  const fixture = await startProcessFixture({ path: '/panel/sites/sync' });
  await waitForSucceededTasks(fixture);
  fixture.worker.kill('SIGKILL');
  await once(fixture.worker, 'exit');
  await startWorker(fixture.env);
  for (const { site_url, status } of await waitUntilFinished(fixture)) {
    expect([site_url, status]).toEqual([site_url, 'succeeded']);
  }
  for (const { calls, inFlight } of fixture.sites) {
    expect(new Set(calls)).toEqual(new Set(['sync']));
    expect(calls.length).toBeLessThanOrEqual(2);
    expect(inFlight.most).toBe(1);
  }
});
