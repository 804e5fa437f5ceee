import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { followRun } from '@steward/testkit/panel/event-stream.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import {
  expectStatusesMatchSites,
  startProcessFixture,
  useEmbeddedDatabase,
  usePanelDatabase,
  waitForSucceededTasks,
} from '@steward/testkit/panel/process-fixture.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import { startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { expect, it, onTestFinished } from 'vitest';

const LONG = 300_000;

it('a run survives a database restart', { timeout: LONG }, async () => {
  const database = useEmbeddedDatabase();
  const fixture = await startProcessFixture({ database });
  await waitForSucceededTasks(fixture);
  const file = join(database.dataDir, 'postgres/postmaster.pid');
  process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGINT');
  await expectStatusesMatchSites(fixture);
});

it('a stopping panel ends waiting requests and streams, and the run finishes after the restart', {
  timeout: LONG,
}, async () => {
  const database = await usePanelDatabase();
  const { env } = database;
  const panel = await startPanel(env);
  const { license_key } = await database.newLicense({ siteLimit: 5 });
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const site = await fleet.add('slow');
  const release = holdCalls(site);
  const owner = await signInAt(panel.url, await database.newUser());
  const waiting = owner.post(
    '/remote/update',
    { site_ids: [1] },
    { headers: { prefer: 'wait=300' } },
  );
  await expect.poll(() => site.calls).toEqual(['update']);
  const events = (await followRun(panel.url, 1, owner)).all();
  expect(await panel.end('SIGTERM')).toBe(0);
  release();
  expect((await waiting).status).toBe(202);
  expect((await events).map(({ event }) => event)).toContain('task');

  const restarted = await startPanel(env);
  // The restarted panel has another port, so the site must report there.
  await site.options.write({ service_panel_url: restarted.url });
  const later = await signInAt(restarted.url, owner);
  await expect
    .poll(async () => (await later.get('/panel/runs/1')).body.counts, {
      timeout: 120_000,
      interval: 500,
    })
    .toEqual({ succeeded: 1 });
  expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
});
