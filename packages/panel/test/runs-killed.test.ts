import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { signInAs, signInOwner } from './support/panel-user.ts';
import { startPanel, startWorker, steward, temporaryFolder } from './support/processes.ts';
import { SHOP, startFleet } from './support/site-fleet.ts';

const SITES = 500;
const LONG = 300_000;

/** A panel and a worker as processes, and many sites that each take a while to update. */
async function startScene() {
  const env = {
    DATA_DIR: temporaryFolder(),
    ALLOW_PRIVATE_SITES: 'true',
    SITE_CALLS_AT_ONCE: '20',
    SITE_CALLS_PER_ADDRESS: '20',
  };
  const panel = await startPanel(env, undefined, ['--role', 'web']);
  const worker = await startWorker(env);
  const create = ['license', 'create', '--plan', 'Agency', '--site-limit', String(SITES), '--json'];
  const { license_key } = JSON.parse((await steward(create, env)).stdout);
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const sites = await Promise.all(Array.from({ length: SITES }, (_, i) => fleet.add(`s${i}`)));
  for (const site of sites) site.state.updateMs = 300;
  const owner = await signInOwner(panel.url, env);
  const ids = Array.from({ length: SITES }, (_, index) => index + 1);
  const { status, body } = await owner.post(
    '/remote/update',
    { site_ids: ids },
    { prefer: 'respond-async' },
  );
  expect(status).toBe(202);
  const counts = async () => (await owner.get(`/panel/runs/${body.run_id}?limit=1`)).body;
  return { env, panel, worker, sites, owner, runId: body.run_id as number, counts };
}

type Scene = Awaited<ReturnType<typeof startScene>>;

const someAreDone = ({ counts }: Scene) =>
  expect
    .poll(async () => (await counts()).counts.succeeded ?? 0, { timeout: 60_000, interval: 100 })
    .toBeGreaterThan(60);

/** Every task has ended, and what it says is what is on the site. */
async function expectTruth({ sites, owner, runId, counts }: Scene) {
  await expect
    .poll(async () => (await counts()).status, { timeout: 180_000, interval: 500 })
    .toBe('finished');
  const { results } = (await owner.get(`/panel/runs/${runId}`)).body;
  expect(results).toHaveLength(SITES);
  for (const { site_url, status } of results) {
    const site = sites.find(({ siteUrl }) => siteUrl === site_url);
    const isUpdated = site?.state.plugins[SHOP]?.version === '2.0';
    expect([site_url, status]).toEqual([site_url, isUpdated ? 'succeeded' : 'failed']);
    expect(site?.underWay.most).toBeLessThanOrEqual(1);
    expect(site?.calls.filter((call) => call === 'update').length).toBeLessThanOrEqual(1);
  }
  const done = results.filter(({ status }: { status: string }) => status === 'succeeded');
  // Only calls that were under way can have been lost.
  expect(done.length).toBeGreaterThanOrEqual(SITES - 40);
}

it('a worker that is killed: its tasks are taken over, none is lost and none is done twice', {
  timeout: LONG,
}, async () => {
  const scene = await startScene();
  await someAreDone(scene);
  scene.worker.kill('SIGKILL');
  await once(scene.worker, 'exit');
  await startWorker(scene.env);
  await expectTruth(scene);
});

it('a database that is restarted in the middle', { timeout: LONG }, async () => {
  const scene = await startScene();
  await someAreDone(scene);
  const file = join(scene.env.DATA_DIR, 'postgres/postmaster.pid');
  process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGINT');
  await expectTruth(scene);
});

it('a panel that is stopped while people watch and wait: it lets them go, and the rest is done later', {
  timeout: LONG,
}, async () => {
  const env = { DATA_DIR: temporaryFolder(), ALLOW_PRIVATE_SITES: 'true' };
  const panel = await startPanel(env);
  const create = ['license', 'create', '--plan', 'Agency', '--site-limit', '5', '--json'];
  const { license_key } = JSON.parse((await steward(create, env)).stdout);
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const site = await fleet.add('slow');
  site.state.updateMs = 20_000;
  const owner = await signInOwner(panel.url, env);
  const waiting = owner.post('/remote/update', { site_ids: [1] }, { prefer: 'wait=300' });
  await expect.poll(() => site.calls).toEqual(['update']);
  const events = (await owner.open('/panel/runs/1/events')).text();
  expect(await panel.end('SIGTERM')).toBe(0);
  expect((await waiting).status).toBe(202);
  expect(await events).toContain('event: task');

  const again = await startPanel(env);
  // It has another port now, where the site has to report to.
  await site.options.write({ service_panel_url: again.url });
  const later = await signInAs(again.url, owner.email, owner.password);
  await expect
    .poll(async () => (await later.get('/panel/runs/1')).body.counts, {
      timeout: 120_000,
      interval: 500,
    })
    .toEqual({ succeeded: 1 });
  expect(site.calls.filter((call) => call === 'update')).toHaveLength(1);
});
