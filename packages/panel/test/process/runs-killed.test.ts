import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import {
  expectTruth,
  someAreDone,
  startProcessScene,
  untilFinished,
  useEmbeddedDatabase,
  usePanelDatabase,
} from '@steward/testkit/panel/process-scene.ts';
import { startPanel, startWorker } from '@steward/testkit/panel/start-process.ts';
import { startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { expect, it, onTestFinished } from 'vitest';

const SITES = 500;
const LONG = 300_000;

it('a worker that is killed: its tasks are taken over, none is lost and none is done twice', {
  timeout: LONG,
}, async () => {
  const scene = await startProcessScene({ sites: SITES });
  await someAreDone(scene);
  scene.worker.kill('SIGKILL');
  await once(scene.worker, 'exit');
  await startWorker(scene.env);
  await expectTruth(scene);
});

it('a worker that is killed in the middle of syncs: they are simply asked for again', {
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

it('a worker that is stopped, taken over from, and goes on: one call, one result, and a true one', {
  timeout: LONG,
}, async () => {
  const database = await usePanelDatabase();
  const scene = await startProcessScene({ sites: 200, database });
  await someAreDone(scene);
  scene.worker.kill('SIGSTOP');
  await startWorker(scene.env);
  const takenOver = async () => {
    const { rows } = await database.pool.query('SELECT id FROM run_tasks WHERE attempt > 1');
    return rows.length;
  };
  // It comes back while the other is in the middle of what was its own.
  await expect.poll(takenOver, { timeout: 90_000, interval: 50 }).toBeGreaterThan(0);
  scene.worker.kill('SIGCONT');
  await expectTruth(scene);

  const { rows: records } = await database.pool.query(
    "SELECT site_id, count(*) AS count FROM audit_log WHERE entity_type = 'remote_update' GROUP BY 1",
  );
  expect(records.map(({ count }) => count)).toEqual(Array(scene.sites.length).fill(1));
  expect((await database.pool.query('SELECT * FROM site_calls')).rows).toEqual([]);
});

it('a database that is restarted in the middle', { timeout: LONG }, async () => {
  const database = useEmbeddedDatabase();
  const scene = await startProcessScene({ sites: SITES, database });
  await someAreDone(scene);
  const file = join(database.dataDir, 'postgres/postmaster.pid');
  process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGINT');
  await expectTruth(scene);
});

it('a panel that is stopped while people watch and wait: it lets them go, and the rest is done later', {
  timeout: LONG,
}, async () => {
  const database = await usePanelDatabase();
  const { env } = database;
  const panel = await startPanel(env);
  const { license_key } = await database.newLicense({ siteLimit: 5 });
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const site = await fleet.add('slow');
  site.state.updateMs = 20_000;
  const owner = await signInAt(panel.url, await database.newUser());
  const waiting = owner.post(
    '/remote/update',
    { site_ids: [1] },
    { headers: { prefer: 'wait=300' } },
  );
  await expect.poll(() => site.calls).toEqual(['update']);
  const events = owner.get('/panel/runs/1/events');
  expect(await panel.end('SIGTERM')).toBe(0);
  expect((await waiting).status).toBe(202);
  expect(String((await events).body)).toContain('event: task');

  const again = await startPanel(env);
  // It has another port now, where the site has to report to.
  await site.options.write({ service_panel_url: again.url });
  const later = await signInAt(again.url, owner);
  await expect
    .poll(async () => (await later.get('/panel/runs/1')).body.counts, {
      timeout: 120_000,
      interval: 500,
    })
    .toEqual({ succeeded: 1 });
  expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
});
