import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import type { MemorySiteState } from '@steward/testkit/sites/memory-platform.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { afterEach, describe, expect, it } from 'vitest';

const fixture = useRunFixture();
const CART = 'cart/cart.php';

const twoPending = (): MemorySiteState => ({
  plugins: {
    [SHOP]: { version: '1.0', newVersion: '2.0', active: true },
    [CART]: { version: '1.0', newVersion: '1.0.1', active: true },
  },
  themes: {},
  core: { version: '6.0' },
});

const item = (slug: string, version?: string) => ({
  type: 'plugin',
  slug,
  ...(version && { version }),
});

async function addRule(rule: object) {
  const { body } = await fixture.owner.post('/panel/rules', rule);
  return body.rule;
}

async function quarantineShop(version = '2.0') {
  const { body } = await fixture.owner.post('/panel/quarantine', {
    ...{ item_type: 'plugin', slug: SHOP, version, reason: 'White screen.' },
  });
  return body.quarantined_version;
}

async function update(site_ids: number[], more: object = {}) {
  const { body } = await fixture.owner.post('/remote/update', { site_ids, ...more });
  return body.results;
}

const versionsOf = ({ state }: { state: MemorySiteState }) =>
  Object.fromEntries(Object.entries(state.plugins).map(([slug, { version }]) => [slug, version]));

const removeCapability = (siteId: number) =>
  fixture.panel.pool.query(
    "UPDATE license_activations SET capabilities = array_remove(capabilities, 'update.items') WHERE site_id = $1",
    [siteId],
  );

afterEach(async () => {
  await fixture.panel.pool.query('DELETE FROM update_rules; DELETE FROM quarantined_versions');
});

describe('an update of all items', () => {
  it('names no items in a fleet without rules and quarantine', async () => {
    const site = await fixture.newSite(twoPending());
    const [result] = await update([site.id]);
    expect(result).toMatchObject({ status: 'succeeded', items: null, held: null });
  });

  it('names the allowed items and their versions, and installs no held one', async () => {
    const site = await fixture.newSite(twoPending());
    const rule = await addRule({ item_type: 'plugin', aspect: 'level', level: 'patch' });
    const [result] = await update([site.id]);
    expect(result).toMatchObject({
      status: 'succeeded',
      items: [item(CART, '1.0.1')],
      held: {
        count: 1,
        items: [
          {
            ...item(SHOP, '2.0'),
            hold: {
              reason: 'level',
              rule_id: rule.id,
              explanation: 'Held: only patch versions are allowed. Rule: all plugins on all sites.',
            },
          },
        ],
      },
    });
    expect(versionsOf(site)).toEqual({ [SHOP]: '1.0', [CART]: '1.0.1' });
  });

  it('does not install a version that the site offers only since its last report', async () => {
    const site = await fixture.newSite(twoPending());
    await addRule({ item_type: 'plugin', slug: CART, aspect: 'level', level: 'patch' });
    for (const plugin of Object.values(site.state.plugins)) plugin.newVersion = '9.0';
    await update([site.id]);
    expect(versionsOf(site)).toEqual({ [SHOP]: '1.0', [CART]: '1.0' });
  });

  it('does not update a quarantined plugin that the last report of the site does not have', async () => {
    await fixture.newSite();
    await quarantineShop();
    const cart = { version: '1.0', newVersion: '1.0.1', active: true };
    const site = await fixture.newSite({ ...twoPending(), plugins: { [CART]: cart } });
    site.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0', active: true };
    const [result] = await update([site.id]);
    expect(result).toMatchObject({ status: 'succeeded', items: [item(CART, '1.0.1')] });
    expect(versionsOf(site)).toEqual({ [SHOP]: '1.0', [CART]: '1.0.1' });
  });

  it('refuses a site that cannot update single items if a rule concerns it, as the preview shows', async () => {
    const old = await fixture.newSite(twoPending());
    await removeCapability(old.id);
    await addRule({ item_type: 'plugin', aspect: 'ignore', slug: SHOP, version: '3.0' });
    const preview = await fixture.owner.post('/panel/sites/update-preview', { site_ids: [old.id] });
    const { to_update, held } = preview.body.preview;
    expect([to_update.site_ids, held.count]).toEqual([[], 1]);
    const [result] = await update([old.id]);
    expect(result).toMatchObject({ status: 'refused', code: 'held_version' });
    for (const sentence of [result.error, held.sites[0].explanation]) {
      expect(sentence).toContain('too old to update only selected items');
      expect(sentence).toContain('Rule: the plugin');
    }
    expect(old.calls).toEqual([]);
  });

  it('refuses a site whose pending items are all held, and one that cannot update single items', async () => {
    const [all, old] = [await fixture.newSite(), await fixture.newSite(twoPending())];
    await removeCapability(old.id);
    await quarantineShop();
    const results = await update([all.id, old.id]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'refused', code: 'held_version' });
      expect(result.error).toContain('White screen.');
    }
    expect([all.calls, old.calls]).toEqual([[], []]);
  });

  it('changes nothing on a site with nothing pending, and refuses one that never reported', async () => {
    await addRule({ aspect: 'level', level: 'never' });
    const current = twoPending();
    for (const plugin of Object.values(current.plugins)) delete plugin.newVersion;
    const site = await fixture.newSite(current);
    const [result] = await update([site.id]);
    expect(result).toMatchObject({
      status: 'succeeded',
      items: [{ type: 'core', slug: 'core', version: '6.0' }],
    });
    const unreported = await fixture.newSite(twoPending());
    await fixture.panel.pool.query('UPDATE sites SET inventory = NULL WHERE id = $1', [
      unreported.id,
    ]);
    const [refused] = await update([unreported.id]);
    expect(refused).toMatchObject({ status: 'refused', code: 'held_version' });
    expect(versionsOf(unreported)).toEqual({ [SHOP]: '1.0', [CART]: '1.0' });
  });

  it('applies rules of a tag and a site to their sites only', async () => {
    const [plain, tagged, own] = [
      await fixture.newSite(twoPending()),
      await fixture.newSite(twoPending()),
      await fixture.newSite(twoPending()),
    ];
    for (const site of [tagged, own]) {
      await fixture.owner.call('PUT', `/panel/sites/${site.id}/tags`, { tags: ['Careful'] });
    }
    await addRule({
      tag: 'careful',
      item_type: 'plugin',
      slug: SHOP,
      aspect: 'level',
      level: 'never',
    });
    await addRule({ site_id: own.id, aspect: 'level', level: 'all' });
    await update([plain.id, tagged.id, own.id]);
    expect([plain, tagged, own].map((site) => versionsOf(site)[SHOP])).toEqual([
      '2.0',
      '1.0',
      '2.0',
    ]);
  });

  it('waits from the first appearance in the fleet', async () => {
    const site = await fixture.newSite(twoPending());
    await addRule({ item_type: 'plugin', aspect: 'wait', days: 7 });
    const seen = (slug: string, version: string, at: string) =>
      fixture.panel.pool.query(
        'UPDATE software_versions SET first_seen_at = $3 WHERE slug = $1 AND version = $2',
        [slug, version, at],
      );
    await seen(SHOP, '2.0', '2026-05-30T12:00:00Z');
    await seen(CART, '1.0.1', '2026-05-25T12:00:00Z');
    const [result] = await update([site.id]);
    expect(result.items).toEqual([item(CART, '1.0.1')]);
    expect(result.held.items[0].hold).toMatchObject({
      reason: 'waiting',
      until: '2026-06-06T12:00:00.000Z',
      explanation: 'Held: waits 7 days, until 6 June 2026. Rule: all plugins on all sites.',
    });
  });
});

describe('targeted runs', () => {
  it('leave out held items, and are refused if nothing is left', async () => {
    const site = await fixture.newSite(twoPending());
    await quarantineShop();
    const [refused] = await update([site.id], { items: [item(SHOP, '2.0')] });
    expect(refused).toMatchObject({ status: 'refused', code: 'held_version' });
    const [partial] = await update([site.id], { items: [item(SHOP), item(CART)] });
    expect(partial).toMatchObject({ status: 'succeeded', items: [item(CART)], held: { count: 1 } });
    expect(versionsOf(site)).toEqual({ [SHOP]: '1.0', [CART]: '1.0.1' });
  });

  it('hold every spelling of a held version', async () => {
    const site = await fixture.newSite(twoPending());
    await quarantineShop('2.0.0');
    await addRule({ item_type: 'plugin', slug: CART, aspect: 'ignore', version: '1.0.1.0' });
    for (const requested of [item(SHOP, '2.0'), item(SHOP, '2.0.0'), item(CART, '1.0.1')]) {
      const [refused] = await update([site.id], { items: [requested] });
      expect(refused).toMatchObject({ status: 'refused', code: 'held_version' });
    }
    const [all] = await update([site.id]);
    expect(all).toMatchObject({ status: 'refused', held: { count: 2 } });
    expect(site.calls).toEqual([]);
    const again = { item_type: 'plugin', slug: SHOP, version: '2.0', reason: 'Again.' };
    const { status, body } = await fixture.owner.post('/panel/quarantine', again);
    expect([status, body.code]).toEqual([409, 'already_quarantined']);
  });

  it('refuse versions with surrounding whitespace, and trim those of reports', async () => {
    const offered = { version: '1.0', newVersion: ' 2.0\t', active: true };
    const site = await fixture.newSite({ ...twoPending(), plugins: { [SHOP]: offered } });
    await quarantineShop();
    for (const version of ['2.0 ', ' 2.0', '\t2.0', '2.0\n', '2.0\u00a0']) {
      const body = { site_ids: [site.id], items: [{ ...item(SHOP), version }] };
      expect((await fixture.owner.post('/remote/update', body)).status).toBe(400);
      expect((await fixture.owner.post('/panel/rollouts', body)).status).toBe(400);
      const quarantined = { item_type: 'plugin', slug: SHOP, version, reason: 'Broken.' };
      expect((await fixture.owner.post('/panel/quarantine', quarantined)).status).toBe(400);
    }
    const [refused] = await update([site.id]);
    expect(refused).toMatchObject({ code: 'held_version', held: { items: [item(SHOP, '2.0')] } });
  });

  it('name the version of an item that a rule concerns', async () => {
    const site = await fixture.newSite(twoPending());
    await addRule({ item_type: 'plugin', slug: SHOP, aspect: 'ignore', version: '2.1' });
    site.state.plugins[SHOP] = { version: '1.0', newVersion: '2.1', active: true };
    const [result] = await update([site.id], { items: [item(SHOP)] });
    expect(result).toMatchObject({ status: 'failed', items: [item(SHOP, '2.0')] });
    expect(versionsOf(site)[SHOP]).toBe('1.0');
  });

  it('refuse the update of a plugin, also if its version is not known', async () => {
    const site = await fixture.newSite(twoPending());
    await quarantineShop();
    const act = (plugin: string, action = 'update') =>
      fixture.owner.post('/remote/plugin-action', { site_id: site.id, action, plugin });
    const refused = await act(SHOP);
    expect([refused.status, refused.body.code]).toEqual([409, 'held_version']);
    expect(refused.body.error).toContain('quarantined');
    expect((await act(CART)).status).toBe(200);
    expect((await act(SHOP, 'deactivate')).status).toBe(200);
    await addRule({ item_type: 'plugin', slug: CART, aspect: 'wait', days: 3 });
    const unknown = await act(CART);
    expect([unknown.body.code, unknown.body.error]).toEqual([
      'held_version',
      expect.stringContaining('Sync the site'),
    ]);
  });

  it('update a plugin only to the allowed version, also if the site offers another one by now', async () => {
    const site = await fixture.newSite(twoPending());
    await addRule({ item_type: 'plugin', slug: SHOP, aspect: 'ignore', version: '2.1' });
    const offer = (newVersion: string) => {
      site.state.plugins[SHOP] = { version: '1.0', newVersion, active: true };
    };
    offer('2.1');
    const act = () =>
      fixture.owner.post('/remote/plugin-action', {
        ...{ site_id: site.id, action: 'update', plugin: SHOP },
      });
    const changed = await act();
    expect([changed.status, changed.body.code]).toEqual([500, 'action_failed']);
    expect(changed.body.error).toContain('offers version 2.1 instead of 2.0');
    expect(versionsOf(site)[SHOP]).toBe('1.0');
    // The site has reported 2.1 after its refusal.
    const held = await act();
    expect([held.status, held.body.code]).toEqual([409, 'held_version']);
    offer('2.2');
    await fixture.owner.post('/panel/sites/sync', { site_ids: [site.id] });
    const done = await act();
    expect([done.status, done.body]).toEqual([
      200,
      { success: true, site_id: site.id, action: 'update', plugin: SHOP },
    ]);
    expect(versionsOf(site)[SHOP]).toBe('2.2');
    // Older sites get the plugin action, if the version that they reported is allowed.
    const old = await fixture.newSite(twoPending());
    await removeCapability(old.id);
    const request = { site_id: old.id, action: 'update', plugin: SHOP };
    expect((await fixture.owner.post('/remote/plugin-action', request)).status).toBe(200);
    expect([site.calls, old.calls]).toEqual([['update', 'sync', 'update'], ['plugin-action']]);
  });

  it('install no package with another version than the call named', async () => {
    const site = await fixture.newSite(twoPending());
    await quarantineShop('2.1');
    Object.assign(site.state.plugins[SHOP] ?? {}, { packageVersion: '2.1' });
    const [targeted] = await update([site.id], { items: [item(SHOP, '2.0')] });
    expect(targeted).toMatchObject({
      status: 'failed',
      details: { results: { plugins: [{ code: 'offer_changed', new_version: '1.0' }] } },
    });
    const [all] = await update([site.id]);
    expect(all.status).toBe('partial');
    const request = { site_id: site.id, action: 'update', plugin: SHOP };
    const acted = await fixture.owner.post('/remote/plugin-action', request);
    expect(acted.body.error).toContain('The package contains version 2.1');
    expect(versionsOf(site)[SHOP]).toBe('1.0');
  });

  it('refuse to restore or install a quarantined version', async () => {
    const site = await fixture.newSite(twoPending());
    await update([site.id]);
    await fixture.owner.post('/panel/sites/restore', {
      site_ids: [site.id],
      items: [item(SHOP, '1.0')],
    });
    expect(versionsOf(site)[SHOP]).toBe('1.0');
    await quarantineShop();
    const { body } = await fixture.owner.post('/panel/sites/restore', {
      site_ids: [site.id],
      items: [item(SHOP, '2.0')],
    });
    expect(body.results[0]).toMatchObject({ status: 'refused', code: 'held_version' });
    const empty = await fixture.newSite({ plugins: {}, themes: {}, core: { version: '6.0' } });
    const installed = await fixture.owner.post('/panel/sites/install', {
      site_ids: [empty.id],
      items: [item('shop', '2.0')],
    });
    expect(installed.body.results[0]).toMatchObject({ status: 'refused', code: 'held_version' });
  });
});

describe('a version that is quarantined after the run was created', () => {
  /** Starts an update that waits for an open sync call to the same site. */
  async function startBehindOpenCall(request: object) {
    const site = await fixture.newSite(twoPending());
    const release = holdCalls(site);
    const sync = { site_ids: [site.id] };
    const asynchronous = { headers: { prefer: 'respond-async' } };
    await fixture.owner.post('/panel/sites/sync', sync, asynchronous);
    await expect.poll(() => site.calls).toEqual(['sync']);
    const { body } = await fixture.owner.post(
      '/remote/update',
      { ...sync, ...request },
      asynchronous,
    );
    return { site, release, runId: body.run_id as number };
  }

  it('is not installed by an update of all items', async () => {
    const { site, release, runId } = await startBehindOpenCall({});
    await quarantineShop();
    release();
    const [result] = (await fixture.waitForRun(runId)).results;
    expect(result).toMatchObject({
      status: 'succeeded',
      items: [item(CART, '1.0.1')],
      held: { count: 1 },
    });
    expect(versionsOf(site)).toEqual({ [SHOP]: '1.0', [CART]: '1.0.1' });
  });

  it('refuses a task of which nothing is left, without a call', async () => {
    const { site, release, runId } = await startBehindOpenCall({ items: [item(SHOP, '2.0')] });
    await quarantineShop();
    release();
    const [result] = (await fixture.waitForRun(runId)).results;
    expect(result).toMatchObject({ status: 'refused', code: 'held_version', held: { count: 1 } });
    expect(site.calls).toEqual(['sync']);
  });

  it('is installed again after an owner lifted the quarantine', async () => {
    const site = await fixture.newSite(twoPending());
    const { id } = await quarantineShop();
    await fixture.owner.post(`/panel/quarantine/${id}/lift`, { reason: 'Fixed by the host.' });
    const [result] = await update([site.id]);
    expect(result).toMatchObject({ status: 'succeeded', items: null });
    expect(versionsOf(site)[SHOP]).toBe('2.0');
  });
});
