import { followRun } from '@steward/testkit/panel/event-stream.ts';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import type { PanelProcess } from '@steward/testkit/panel/panel-process.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import {
  createInBatches,
  type FleetSite,
  SHOP,
  startFleet,
} from '@steward/testkit/sites/site-fleet.ts';
import { expect, it, onTestFinished } from 'vitest';

const SITES = 50;
const LONG = 300_000;
/** A panel with little memory that calls all sites at once. */
const LOW_MEMORY = {
  NODE_OPTIONS: '--max-old-space-size=350',
  SITE_CALLS_AT_ONCE: String(SITES),
  SITE_CALLS_PER_ADDRESS: String(SITES),
};

const item = (slug: string, error: string) => ({ slug, new_version: '2.0', success: true, error });
const createBody = (items: unknown[], more: object = {}) =>
  JSON.stringify({
    success: true,
    results: { plugins: items, themes: [], core: null },
    errors: [],
    ...more,
  });

const inventory = {
  plugins: Array(10_000).fill({ plugin: 'a/a.php', name: '', version: '1.0', active: true }),
  themes: [],
  core: { version: '6.0' },
};

/** The responses of the sites to an update. None of the sites changes anything. */
const FLOODS = {
  manyItems: createBody(Array(67_000).fill(item('a/a.php', ''))),
  manyItemsInOneMebibyte: createBody(Array(14_000).fill(item('a/a.php', ''))),
  longTexts: createBody(Array(1900).fill(item(`${'a'.repeat(200)}.php`, '<!--'.repeat(60)))),
  deepNest: '['.repeat(1024 * 1024 - 1),
  manyFields: `{${Array.from({ length: 90_000 }, (_, index) => `"${index}":0`)}}`,
};
const KINDS = Object.keys(FLOODS) as (keyof typeof FLOODS)[];
const kindOf = (index: number) => KINDS[index % KINDS.length] ?? 'manyItems';

function makeHostile({ agent }: FleetSite, index: number): void {
  const { handle } = agent;
  agent.handle = async (request) => {
    if (!request.url.endsWith('/update')) return handle(request);
    return new Response(FLOODS[kindOf(index)], { headers: { 'content-type': 'application/json' } });
  };
}

/** Details as stored by an earlier version that accepted five megabytes per site. */
const STORE_OVERSIZED_DETAILS = `
  UPDATE run_tasks SET details = (
    SELECT jsonb_build_object('success', true, 'errors', '[]'::jsonb, 'results',
      jsonb_build_object('themes', '[]'::jsonb, 'core', NULL, 'plugins', jsonb_agg(
        jsonb_build_object('slug', 'a/a.php', 'new_version', '2.0', 'success', true))))
    FROM generate_series(1, 67000))
  WHERE run_id = $1`;

/** The panel responds and shows the run on all pages. */
async function expectAlive(panel: PanelProcess, owner: PanelClient, runId: number) {
  expect((await panel.get('/healthz')).status).toBe(200);
  for (const path of ['/panel/overview', '/panel/runs', `/panel/runs/${runId}`]) {
    expect([path, (await owner.get(path)).status]).toEqual([path, 200]);
  }
}

it('a panel with little memory survives 50 hostile sites at once', {
  timeout: LONG,
}, async () => {
  const database = await usePanelDatabase();
  const env = { ...database.env, ...LOW_MEMORY };
  const panel = await startPanel(env);
  const { license_key } = await database.newLicense({ siteLimit: SITES });
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const sites = await createInBatches(SITES, (index) => fleet.add(`s${index}`));
  for (const [index, site] of sites.entries()) makeHostile(site, index);
  const user = await database.newUser();
  const owner = await signInAt(panel.url, user);

  const ids = sites.map((_, index) => index + 1);
  const started = await owner.post(
    '/remote/update',
    { site_ids: ids },
    { headers: { prefer: 'respond-async' } },
  );
  const runId = started.body.run_id as number;
  const events = (await followRun(panel.url, runId, owner)).all();
  const reports = Promise.all(
    sites.map(async ({ siteUrl: site_url }) => {
      const response = await panel.post('/api/v1/site/verify', {
        license_key,
        site_url,
        inventory,
      });
      return `${response.status} ${response.body.code}`;
    }),
  );
  await expect
    .poll(
      async () => {
        await expectAlive(panel, owner, runId);
        return (await owner.get(`/panel/runs/${runId}?limit=1`)).body.status;
      },
      { timeout: 120_000, interval: 200 },
    )
    .toBe('finished');
  expect(new Set(await reports)).toEqual(new Set(['400 request_too_large']));
  expect((await events).at(-1)?.event).toBe('end');

  const { results } = (await owner.get(`/panel/runs/${runId}`)).body;
  expect(results).toHaveLength(SITES);
  for (const { site_url, status, code, plugins } of results) {
    const kind = kindOf(sites.findIndex(({ siteUrl }) => siteUrl === site_url));
    // A response within the bounds counts; others are reconciled, and nothing was installed.
    const expected =
      kind === 'longTexts' ? ['succeeded', null, 1900] : ['failed', 'site_response_too_large', 0];
    expect([kind, status, code, plugins.updated]).toEqual([kind, ...expected]);
  }
  for (const { state } of sites) expect(state.plugins[SHOP]?.version).toBe('1.0');

  await database.pool.query(STORE_OVERSIZED_DETAILS, [runId]);
  await expectAlive(panel, owner, runId);
  expect(await panel.end('SIGTERM')).toBe(0);
  const restarted = await startPanel(env);
  const later = await signInAt(restarted.url, user);
  await expectAlive(restarted, later, runId);
  await (await followRun(restarted.url, runId, later)).all();
  const retried = await later.post(
    `/panel/runs/${runId}/retry`,
    {},
    { headers: { prefer: 'respond-async' } },
  );
  expect(retried.status).toBe(202);
  await expectAlive(restarted, later, runId);
});
