import type { RolloutSite, RolloutSummary } from '@steward/contract';
import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { expectFailure } from '@steward/testkit/panel/use-command-line.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';

const fixture = useRunFixture();

const ITEM = { type: 'plugin', slug: SHOP, version: '2.0' };
const NO_SOAK = { soak_minutes: 0 };

/** The state of a site that rolls its update to 2.0 back. */
function broken() {
  const state = outdatedSite();
  const plugin = state.plugins[SHOP];
  if (plugin) plugin.updateRollsBack = 'The home page shows an error.';
  return state;
}

async function newSites(count: number, { brokenAt = [] as number[], tagged = 0 } = {}) {
  const sites = [];
  for (let index = 0; index < count; index++) {
    const site = await fixture.newSite(brokenAt.includes(index) ? broken() : outdatedSite());
    if (index < tagged) {
      await fixture.owner.call('PUT', `/panel/sites/${site.id}/tags`, { tags: ['canary'] });
    }
    sites.push(site);
  }
  return sites;
}

function commandEnv() {
  const { databaseUrl, dataDir } = fixture.panel;
  return { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, SECRET_KEY: TEST_SECRET };
}

type ShownRollout = { rollout: RolloutSummary; sites: RolloutSite[] };

async function start(siteIds: number[], request: object = {}): Promise<number> {
  const { status, body } = await fixture.owner.post('/panel/rollouts', {
    site_ids: siteIds,
    items: [ITEM],
    settings: NO_SOAK,
    ...request,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.rollout.rollout_id;
}

const read = async (id: number): Promise<ShownRollout> =>
  (await fixture.owner.get(`/panel/rollouts/${id}`)).body;

async function waitForStatus(id: number, status: string): Promise<ShownRollout> {
  await expect.poll(async () => (await read(id)).rollout.status, { interval: 100 }).toBe(status);
  return read(id);
}

// All tests use the same version, and a halted rollout quarantines it.
afterEach(async () => {
  const { body } = await fixture.owner.get('/panel/quarantine');
  for (const { id, lifted_at } of body.quarantined_versions) {
    if (lifted_at !== null) continue;
    await fixture.owner.post(`/panel/quarantine/${id}/lift`, { reason: 'The test has ended.' });
  }
});

describe('a rollout', () => {
  it('updates ring after ring and finishes', async () => {
    const sites = await newSites(6, { tagged: 2 });
    const id = await start(
      sites.map((site) => site.id),
      {
        rings: [{ name: 'First', tag: 'canary' }, { name: 'Half', percent: 50 }, { name: 'Rest' }],
      },
    );
    const { rollout } = await waitForStatus(id, 'finished');
    expect(rollout.rings.map(({ sites, counts }) => [sites, counts.updated])).toEqual([
      [2, 2],
      [3, 3],
      [1, 1],
    ]);
    expect(sites.map(({ state }) => state.plugins[SHOP]?.version)).toEqual(Array(6).fill('2.0'));
    const started = rollout.rings.map(({ started_at }) => Date.parse(started_at ?? ''));
    expect(started).toEqual(started.toSorted());
  });

  it('halts at the first troubled site, quarantines the version, and resumes after the quarantine is lifted', async () => {
    const sites = await newSites(10, { tagged: 2, brokenAt: [1] });
    const id = await start(sites.map((site) => site.id));
    const { rollout, sites: shown } = await waitForStatus(id, 'halted');
    expect(rollout.halt_reason).toContain('1 site in the ring "Canary"');
    expect(rollout.halt_reason).toContain('The home page shows an error.');
    const troubled = { site_id: sites[1]?.id, state: 'troubled', is_rolled_back: true };
    expect(shown[0]?.error).toBe('The home page shows an error.');
    expect(shown[0]).toMatchObject(troubled);
    const { overview } = (await fixture.owner.get('/panel/overview')).body;
    expect(overview.halted_rollouts).toContainEqual({
      rollout_id: id,
      name: rollout.name,
      reason: rollout.halt_reason,
    });
    const run = await fixture.owner.get(`/panel/runs/${rollout.rings[0]?.run_ids[0]}`);
    expect(run.body.rollout).toEqual({ rollout_id: id, name: rollout.name, ring: 'Canary' });
    expect(sites.slice(2).flatMap(({ calls }) => calls)).toEqual([]);
    expect(sites[1]?.state.plugins[SHOP]?.version).toBe('1.0');
    expect(rollout.held_versions).toMatchObject([ITEM]);

    const { body } = await fixture.owner.get('/panel/quarantine');
    const [quarantined] = body.quarantined_versions;
    // Without the error of the site, because users of other sites see the reason.
    expect(quarantined.reason).toBe('The update caused trouble on 1 site in the ring "Canary".');
    expect(quarantined).toMatchObject({ slug: SHOP, version: '2.0' });
    const resume = () => fixture.owner.post(`/panel/rollouts/${id}/resume`, {});
    expect((await resume()).body.code).toBe('held_version');
    const [runId] = rollout.rings[0]?.run_ids ?? [];
    const { body: retry } = await fixture.owner.post(`/panel/runs/${runId}/retry`, {});
    expect(retry.results).toMatchObject([{ status: 'refused', code: 'held_version' }]);

    const reason = { reason: 'Only this site has the old theme.' };
    await fixture.owner.post(`/panel/quarantine/${quarantined.id}/lift`, reason);
    expect((await resume()).status).toBe(200);
    const { rollout: finished } = await waitForStatus(id, 'finished');
    expect(finished.rings.map(({ counts }) => [counts.updated, counts.troubled])).toEqual([
      [1, 1],
      [1, 0],
      [7, 0],
    ]);
  });

  it('accepts a share of troubled sites in later rings, if the settings allow it', async () => {
    const sites = await newSites(6, { tagged: 1, brokenAt: [3] });
    const settings = { ...NO_SOAK, later_max_troubled_percent: 50 };
    const rings = [{ name: 'First', tag: 'canary' }, { name: 'Rest' }];
    const id = await start(
      sites.map((site) => site.id),
      { settings, rings },
    );
    const { rollout } = await waitForStatus(id, 'finished');
    expect(rollout.rings[1]?.counts).toMatchObject({ updated: 4, troubled: 1 });
  });

  it('does not count a site that the panel cannot reach as trouble', async () => {
    const sites = await newSites(3, { tagged: 1 });
    fixture.fleet.remove(sites[0]?.name ?? '');
    const id = await start(sites.map((site) => site.id));
    const { rollout } = await waitForStatus(id, 'halted');
    expect(rollout.halt_code).toBe('waits_for_proof');
    expect(rollout.rings[0]?.counts).toMatchObject({ failed: 1, troubled: 0 });
    await fixture.owner.post(`/panel/rollouts/${id}/cancel`, {});
  });

  it('waits for the soak time, which a user can end', async () => {
    const sites = await newSites(3, { tagged: 1 });
    const id = await start(
      sites.map((site) => site.id),
      { settings: { soak_minutes: 60 } },
    );
    const { rollout } = await waitForStatus(id, 'soaking');
    const now = fixture.panel.fakes.now.getTime();
    expect(rollout.rings[0]?.soak_ends_at).toBe(new Date(now + 3_600_000).toISOString());
    expect(sites.slice(1).flatMap(({ calls }) => calls)).toEqual([]);
    await fixture.owner.post(`/panel/rollouts/${id}/end-soak`, {});
    await expect.poll(async () => (await read(id)).rollout.ring).toBeGreaterThan(0);
    await fixture.owner.post(`/panel/rollouts/${id}/cancel`, {});
    expect((await read(id)).rollout.status).toBe('cancelled');
  });

  it('halts during the soak time if a repeated check finds trouble on a site of the first ring', async () => {
    const sites = await newSites(3, { tagged: 1 });
    const id = await start(
      sites.map((site) => site.id),
      { settings: { soak_minutes: 60 } },
    );
    const { rollout } = await waitForStatus(id, 'soaking');
    const [runId = 0] = rollout.rings[0]?.run_ids ?? [];
    const checks = await fixture.panel.db
      .updateTable('repeated_checks')
      .set({ troubles: sql`'["fatal_error"]'`, done_at: new Date() })
      .where('run_id', '=', runId)
      .returning('delay_seconds')
      .execute();
    const delays = checks.map(({ delay_seconds }) => delay_seconds).toSorted((a, b) => a - b);
    expect(delays).toEqual([60, 600, 3600]);
    const { rollout: halted, sites: shown } = await waitForStatus(id, 'halted');
    const cause = 'A check after the update found that the site works worse than before.';
    expect(halted.halt_reason).toContain(cause);
    expect(shown.map(({ state, error }) => [state, error])).toEqual([
      ['troubled', cause],
      ['waiting', null],
      ['waiting', null],
    ]);
    expect((await steward(['rollout', 'show', String(id)], commandEnv())).stdout).toContain(
      `Troubled: ${shown[0]?.name}: ${cause}\n`,
    );
  });

  it('halts again after a resume, although the accepted site was repaired meanwhile', async () => {
    const sites = await newSites(3, { tagged: 2, brokenAt: [0] });
    const [repaired, other] = sites;
    const settings = { soak_minutes: 60 };
    const id = await start(
      sites.map((site) => site.id),
      { settings },
    );
    const { rollout } = await waitForStatus(id, 'halted');
    const [runId = 0] = rollout.rings[0]?.run_ids ?? [];
    const { body } = await fixture.owner.get('/panel/quarantine');
    const reason = { reason: 'Repaired.' };
    await fixture.owner.post(`/panel/quarantine/${body.quarantined_versions[0].id}/lift`, reason);
    expect((await fixture.owner.post(`/panel/rollouts/${id}/resume`, {})).status).toBe(200);
    delete repaired?.state.plugins[SHOP]?.updateRollsBack;
    await fixture.owner.post(`/panel/runs/${runId}/retry`, {});
    await expect.poll(() => repaired?.state.plugins[SHOP]?.version).toBe('2.0');
    await waitForStatus(id, 'soaking');
    await fixture.panel.db
      .updateTable('repeated_checks')
      .set({ troubles: sql`'["fatal_error"]'`, done_at: new Date() })
      .where('site_id', '=', other?.id ?? 0)
      .execute();
    await waitForStatus(id, 'halted');
  });

  it('halts if the run of its ring is cancelled, and continues with these sites after a resume', async () => {
    const sites = await newSites(2);
    const [held, other] = sites;
    const opened = Promise.withResolvers<void>();
    for (const site of sites) site.gate.opens = opened.promise;
    const id = await start([held?.id ?? 0, other?.id ?? 0], { rings: [{ name: 'All' }] });
    await expect.poll(async () => (await read(id)).rollout.rings[0]?.run_ids).toHaveLength(1);
    const [runId] = (await read(id)).rollout.rings[0]?.run_ids ?? [];
    await fixture.owner.post(`/panel/runs/${runId}/cancel`, {});
    opened.resolve();
    const { rollout } = await waitForStatus(id, 'halted');
    expect(rollout.halt_reason).toBe('The run of the ring was cancelled.');
    const { status } = await fixture.owner.post(`/panel/rollouts/${id}/resume`, {});
    expect(status).toBe(200);
    await waitForStatus(id, 'finished');
    expect(sites.map(({ state }) => state.plugins[SHOP]?.version)).toEqual(['2.0', '2.0']);
  });

  it('halts if an owner quarantines its version, and resumes after the quarantine is lifted', async () => {
    const sites = await newSites(3, { tagged: 1 });
    const id = await start(
      sites.map((site) => site.id),
      { settings: { soak_minutes: 60 } },
    );
    await waitForStatus(id, 'soaking');
    const version = { item_type: 'plugin', slug: SHOP, version: '2.0', reason: 'Slow checkout.' };
    const { body } = await fixture.owner.post('/panel/quarantine', version);
    const { rollout } = await waitForStatus(id, 'halted');
    expect(rollout.halt_reason).toBe(`${SHOP} 2.0 was quarantined.`);
    const lift = `/panel/quarantine/${body.quarantined_version.id}/lift`;
    await fixture.owner.post(lift, { reason: 'Only one site.' });
    expect((await fixture.owner.post(`/panel/rollouts/${id}/resume`, {})).status).toBe(200);
    await waitForStatus(id, 'soaking');
    await fixture.owner.post(`/panel/rollouts/${id}/cancel`, {});
  });

  it('cancels the queued retry of an earlier ring too, when it is cancelled', async () => {
    const sites = await newSites(12, { tagged: 1 });
    const [first, ...others] = sites;
    fixture.fleet.remove(first?.name ?? '');
    const opened = Promise.withResolvers<void>();
    for (const site of others) site.gate.opens = opened.promise;
    const rings = [{ name: 'First', tag: 'canary' }, { name: 'Rest' }];
    const id = await start(
      sites.map((site) => site.id),
      { rings },
    );
    await waitForStatus(id, 'halted');
    const reason = { reason: 'The first site is gone.' };
    await fixture.owner.post(`/panel/rollouts/${id}/continue-without-proof`, reason);
    // As many calls as the worker makes at the same time, so the retry stays queued.
    await expect.poll(() => others.flatMap(({ calls }) => calls)).toHaveLength(10);
    const [runId] = (await read(id)).rollout.rings[0]?.run_ids ?? [];
    const RESPOND_ASYNC = { headers: { prefer: 'respond-async' } };
    const retry = await fixture.owner.post(`/panel/runs/${runId}/retry`, {}, RESPOND_ASYNC);
    expect(retry.body.status).toBe('running');
    await fixture.owner.post(`/panel/rollouts/${id}/cancel`, {});
    opened.resolve();
    const { results } = await fixture.waitForRun(retry.body.run_id);
    expect(results).toMatchObject([{ status: 'cancelled' }]);
  });

  it('is visible to its user and to owners only', async () => {
    const manager = await newSignedInUser(fixture.panel, 'manager');
    const [site] = await newSites(1);
    const id = await start([site?.id ?? 0]);
    expect((await manager.get(`/panel/rollouts/${id}`)).status).toBe(404);
    expect((await manager.post(`/panel/rollouts/${id}/cancel`, {})).status).toBe(404);
    const { status } = await manager.post('/panel/rollouts', {
      site_ids: [site?.id],
      items: [ITEM],
    });
    expect(status).toBe(404);
  });
});

describe('POST /panel/rollouts', () => {
  it.each([
    ['a last ring with a tag', { rings: [{ name: 'One', tag: 'canary' }] }],
    ['a ring without tag and percentage', { rings: [{ name: 'One' }, { name: 'Two' }] }],
    ['two versions of one item', { items: [ITEM, { ...ITEM, version: '3.0' }] }],
    ['an item without a version', { items: [{ type: 'plugin', slug: SHOP }] }],
    ['no rings', { rings: [] }],
    ['a soak time of years', { settings: { soak_minutes: 10_000_000 } }],
  ])('rejects %s', async (_case, request) => {
    const [site] = await newSites(1);
    const body = { site_ids: [site?.id], items: [ITEM], ...request };
    expect((await fixture.owner.post('/panel/rollouts', body)).status).toBe(400);
  });

  it('rejects the Steward plugin, which is never part of an update', async () => {
    const [site] = await newSites(1);
    const items = [{ ...ITEM, slug: 'steward/steward.php' }];
    const body = { site_ids: [site?.id], items };
    expect((await fixture.owner.post('/panel/rollouts', body)).body.code).toBe('management_plugin');
  });
});

describe('npx steward rollout', () => {
  const run = (...args: string[]) => steward(['rollout', ...args], commandEnv());

  it('starts, lists, shows and ends a rollout', async () => {
    const site_ids = (await newSites(2)).map(({ id }) => id);
    await fixture.owner.post('/panel/sites/tags', { site_ids, add: ['cli'] });
    const item = `${SHOP}@2.0`;
    const { email } = (await fixture.owner.get('/panel/session')).body.user;
    const options = ['--plugin', item, '--tag', 'cli', '--user', email, '--soak', '90'];
    const started = JSON.parse((await run('start', ...options, '--json')).stdout);
    expect(started.rollout.settings.soak_minutes).toBe(90);
    expect(started.sites.map(({ site_id }: RolloutSite) => site_id).toSorted()).toEqual(site_ids);
    const id = String(started.rollout.rollout_id);
    expect((await run('list')).stdout).toContain(`\n${id}  `);
    await waitForStatus(started.rollout.rollout_id, 'soaking');
    expect((await run('show', id)).stdout).toMatch(/10 % +1 +1 /);
    expectFailure(await run('resume', id), /not halted/);
    const ended = (await run('cancel', id)).stdout;
    expect(ended).toContain('Status: cancelled');
    // None of the columns before NOT STARTED counts the site that the rollout did not reach.
    expect(ended).toMatch(/All other sites +1( +0){6} +1/);
  });

  it('chooses other canaries, and continues without proof', async () => {
    const sites = await newSites(4, { tagged: 2 });
    for (const site of sites.slice(0, 2)) fixture.fleet.remove(site.name);
    const rings = [
      { name: 'Canary', tag: 'canary' },
      { name: 'Half', percent: 25 },
      { name: 'Rest' },
    ];
    const id = await start(
      sites.map((site) => site.id),
      { rings },
    );
    const { sites: shown } = await waitForStatus(id, 'halted');
    const text = (await run('show', String(id))).stdout;
    expect(text).toContain(`Halted: No site of the ring Canary installed ${SHOP} 2.0.`);
    expect(text).toContain(`steward rollout continue ${id} --reason TEXT`);
    const last = shown.find(({ ring }) => ring === 2);
    expectFailure(await run('canaries', String(id), sites[0]?.siteUrl ?? ''), /have no site/);
    expectFailure(await run('continue', String(id), '--reason', ' '), /Enter a reason/);
    const site = sites.find((each) => each.id === last?.site_id);
    fixture.fleet.remove(site?.name ?? '');
    const chosen = JSON.parse(
      (await run('canaries', String(id), last?.name ?? '', '--json')).stdout,
    );
    expect(chosen.rollout.rings.map((ring: { sites: number }) => ring.sites)).toEqual([3, 1, 0]);
    await waitForStatus(id, 'halted');
    const continued = await run('continue', String(id), '--reason', 'The canaries are old.');
    expect(continued.stdout).toContain(
      'Continued without proof of the ring Canary: The canaries are old. (command line, ',
    );
    await waitForStatus(id, 'finished');
    expect((await read(id)).rollout.proof_exceptions).toMatchObject([{ ring: 0, by: null }]);
  });

  it.each([
    [
      'a version that no site is offered',
      ['--plugin', `${SHOP}@9.9`, '--all'],
      /None of the sites that this rollout can update offers/,
    ],
    ['no version', ['--plugin', SHOP, '--all'], /slug@version/],
    ['no sites', ['--plugin', `${SHOP}@2.0`], /--all, --tag and --client/],
    ['no item', ['--all'], /--plugin or --theme/],
    ['a soak time of years', ['--soak', '99999999', '--all'], /from 0 to/],
    ['more proof than all sites', ['--proof', '101', '--all'], /from 0 to 100/],
  ])('rejects %s', async (_case, args, message) => {
    const { email } = (await fixture.owner.get('/panel/session')).body.user;
    expectFailure(await run('start', '--user', email, ...args), message);
  });
});
