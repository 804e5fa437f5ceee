import { once } from 'node:events';
import {
  expectTruth,
  someAreDone,
  startProcessScene,
  untilFinished,
} from '@steward/testkit/panel/process-scene.ts';
import { startWorker } from '@steward/testkit/panel/start-process.ts';
import { expect, it } from 'vitest';

const SITES = 500;
const LONG = 300_000;

it('the tasks of a killed worker are taken over; none is lost and none runs twice', {
  timeout: LONG,
}, async () => {
  const scene = await startProcessScene({ sites: SITES });
  await someAreDone(scene);
  scene.worker.kill('SIGKILL');
  await once(scene.worker, 'exit');
  await startWorker(scene.env);
  await expectTruth(scene);
});

it('the syncs of a killed worker are repeated', {
  timeout: LONG,
}, async () => {
  const scene = await startProcessScene({ sites: 200, path: '/panel/sites/sync' });
  await someAreDone(scene);
  scene.worker.kill('SIGKILL');
  await once(scene.worker, 'exit');
  await startWorker(scene.env);
  for (const { site_url, status } of await untilFinished(scene)) {
    expect([site_url, status]).toEqual([site_url, 'succeeded']);
  }
  for (const { calls, underWay } of scene.sites) {
    expect(new Set(calls)).toEqual(new Set(['sync']));
    expect(calls.length).toBeLessThanOrEqual(2);
    expect(underWay.most).toBe(1);
  }
});
