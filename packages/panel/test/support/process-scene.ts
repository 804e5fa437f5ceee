import { expect, onTestFinished } from 'vitest';
import { signInOwner } from './panel-user.ts';
import { startPanel, startWorker, steward, temporaryFolder } from './processes.ts';
import { SHOP, someAtATime, startFleet } from './site-fleet.ts';

type Order = { sites: number; path?: '/remote/update' | '/panel/sites/sync' };

/** A panel and a worker as processes, and a run over many sites that each take a while. */
export async function startProcessScene({ sites: count, path = '/remote/update' }: Order) {
  const env = {
    DATA_DIR: temporaryFolder(),
    ALLOW_PRIVATE_SITES: 'true',
    SITE_CALLS_AT_ONCE: '20',
    SITE_CALLS_PER_ADDRESS: '20',
  };
  const panel = await startPanel(env, undefined, ['--role', 'web']);
  const worker = await startWorker(env);
  const create = ['license', 'create', '--plan', 'Agency', '--site-limit', String(count), '--json'];
  const { license_key } = JSON.parse((await steward(create, env)).stdout);
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const sites = await someAtATime(count, (index) => fleet.add(`s${index}`));
  for (const site of sites) {
    site.state.updateMs = 300;
    if (path === '/panel/sites/sync') site.faults.latencyMs = 300;
  }
  const owner = await signInOwner(panel.url, env);
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const { status, body } = await owner.post(path, { site_ids: ids }, { prefer: 'respond-async' });
  expect(status).toBe(202);
  const counts = async () => (await owner.get(`/panel/runs/${body.run_id}?limit=1`)).body;
  return { env, panel, worker, sites, owner, runId: body.run_id as number, counts };
}

export type ProcessScene = Awaited<ReturnType<typeof startProcessScene>>;

export const someAreDone = ({ counts }: ProcessScene, atLeast = 61) =>
  expect
    .poll(async () => (await counts()).counts.succeeded ?? 0, { timeout: 60_000, interval: 100 })
    .toBeGreaterThanOrEqual(atLeast);

export async function untilFinished({ owner, runId, counts }: ProcessScene) {
  await expect
    .poll(async () => (await counts()).status, { timeout: 180_000, interval: 500 })
    .toBe('finished');
  return (await owner.get(`/panel/runs/${runId}`)).body.results;
}

/** Every task has ended, and what it says is what is on the site. */
export async function expectTruth(scene: ProcessScene) {
  const { sites } = scene;
  const results = await untilFinished(scene);
  expect(results).toHaveLength(sites.length);
  for (const { site_url, status } of results) {
    const site = sites.find(({ siteUrl }) => siteUrl === site_url);
    const isUpdated = site?.state.plugins[SHOP]?.version === '2.0';
    expect([site_url, status]).toEqual([site_url, isUpdated ? 'succeeded' : 'failed']);
    expect(site?.underWay.most).toBeLessThanOrEqual(1);
    expect(site?.calls.filter((call) => call === 'update').length).toBeLessThanOrEqual(1);
  }
  const done = results.filter(({ status }: { status: string }) => status === 'succeeded');
  // Only calls that were under way can have been lost.
  expect(done.length).toBeGreaterThanOrEqual(sites.length - 40);
}
