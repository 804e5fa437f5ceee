import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inventoryOf, SHOP, THEME } from './support/inventory.ts';

const { panel, owner } = usePanelWithOwner();
const level = { aspect: 'level', level: 'patch' };
let license: Awaited<ReturnType<typeof newLicenseWithSites>>;
let site: { id: number; url: string };

beforeAll(async () => {
  license = await newLicenseWithSites(panel);
  site = await license.addSite({ inventory: inventoryOf('1.0', '2.0') });
  await license.addSite({ inventory: inventoryOf('1.0', '2.0') });
  await owner.call('PUT', `/panel/sites/${site.id}/tags`, { tags: ['Shop'] });
});
afterEach(() => panel.pool.query('DELETE FROM update_rules; DELETE FROM quarantined_versions'));

const create = (rule: object) => owner.post('/panel/rules', rule);
const auditOf = async (entityType: string) => {
  const { rows } = await panel.pool.query(
    'SELECT action, context FROM audit_log WHERE entity_type = $1 ORDER BY id DESC LIMIT 3',
    [entityType],
  );
  return rows;
};

describe('POST /panel/rules', () => {
  it('creates a rule for a tag in upper or lower case, and records it in words', async () => {
    const request = { tag: 'shop', item_type: 'plugin', slug: SHOP, ...level, note: ' Careful. ' };
    const { status, body } = await create(request);
    expect([status, body.rule]).toMatchObject([
      200,
      { scope: 'tag', tag: 'Shop', slug: SHOP, item_name: 'Shop', level: 'patch', sites: 1 },
    ]);
    const { rules } = (await owner.get('/panel/rules')).body;
    expect(rules).toEqual([body.rule]);
    expect((await auditOf('update_rule'))[0]).toMatchObject({
      action: 'create',
      context: {
        rule: 'Allow only patch versions of the plugin Shop on sites with the tag Shop.',
        note: 'Careful.',
      },
    });
  });

  it.each<[string, object, number, string]>([
    ['an unknown tag', { tag: 'nothing', ...level }, 404, 'tag_not_found'],
    ['an unknown site', { site_id: 999_999, ...level }, 404, 'site_not_found'],
    ['an unknown slug', { item_type: 'theme', slug: SHOP, ...level }, 404, 'software_not_found'],
    ['a slug without a type', { slug: SHOP, ...level }, 400, 'invalid_request'],
    ['a tag and a site', { tag: 'shop', site_id: 1, ...level }, 400, 'invalid_request'],
    [
      'the Steward plugin',
      { item_type: 'plugin', slug: 'Steward/x.php', ...level },
      400,
      'invalid_request',
    ],
    ['a level without a value', { aspect: 'level' }, 400, 'invalid_request'],
    ['a wait with a level', { aspect: 'wait', days: 3, level: 'all' }, 400, 'invalid_request'],
    ['a wait of 400 days', { aspect: 'wait', days: 400 }, 400, 'invalid_request'],
    ['a backup without hours', { aspect: 'backup' }, 400, 'invalid_request'],
    ['hours without a backup', { ...level, hours: 24 }, 400, 'invalid_request'],
    ['a backup of two years', { aspect: 'backup', hours: 8761 }, 400, 'invalid_request'],
    ['half a day', { aspect: 'wait', days: 0.5 }, 400, 'invalid_request'],
    [
      'a pin without a version',
      { item_type: 'plugin', slug: SHOP, aspect: 'level', level: 'pin' },
      400,
      'invalid_request',
    ],
    [
      'a pin of all plugins',
      { item_type: 'plugin', aspect: 'level', level: 'pin', version: '1' },
      400,
      'invalid_request',
    ],
    [
      'a version of 10,000 characters',
      { item_type: 'plugin', slug: SHOP, aspect: 'ignore', version: '1'.repeat(10_000) },
      400,
      'invalid_request',
    ],
    [
      'a version with a NUL',
      { item_type: 'plugin', slug: SHOP, aspect: 'ignore', version: '1\0' },
      400,
      'invalid_request',
    ],
  ])('refuses %s', async (_what, request, status, code) => {
    const response = await create(request);
    expect([response.status, response.body.code]).toEqual([status, code]);
  });

  it('allows one rule for the same sites, items and aspect, and any number of ignored versions', async () => {
    const target = { item_type: 'plugin', slug: SHOP };
    expect((await create({ ...target, ...level })).status).toBe(200);
    expect((await create({ ...target, aspect: 'level', level: 'all' })).body.code).toBe(
      'rule_exists',
    );
    for (const version of ['2.0', '2.1']) {
      expect((await create({ ...target, aspect: 'ignore', version })).status).toBe(200);
    }
    const again = await create({ ...target, aspect: 'ignore', version: '2.0' });
    expect(again.body.code).toBe('rule_exists');
    // Core has one slug, also if the request names none.
    expect((await create({ item_type: 'core', ...level })).body.rule.slug).toBe('core');
  });

  it('accepts a pin that is older than the installed version', async () => {
    const pin = { item_type: 'plugin', slug: SHOP, aspect: 'level', level: 'pin', version: '0.5' };
    expect((await create(pin)).status).toBe(200);
  });

  it('is for owners', async () => {
    const manager = await newSignedInUser(panel, 'manager');
    expect((await manager.post('/panel/rules', level)).status).toBe(403);
    expect((await manager.get('/panel/quarantine')).status).toBe(403);
  });

  it('counts the sites of a target before it is saved', async () => {
    const count = async (target: object) => (await owner.post('/panel/rules/preview', target)).body;
    expect(await count({})).toEqual({ success: true, sites: 2 });
    expect(await count({ tag: 'Shop', item_type: 'plugin' })).toMatchObject({ sites: 1 });
    expect(await count({ item_type: 'plugin', slug: SHOP })).toMatchObject({ sites: 2 });
    expect(await count({ site_id: site.id, item_type: 'theme', slug: THEME })).toMatchObject({
      sites: 1,
    });
    expect(await count({ tag: 'unknown' })).toMatchObject({ code: 'tag_not_found' });
  });
});

describe('PATCH and DELETE /panel/rules/:id', () => {
  it('refuses the second of two owners who change the same revision', async () => {
    const { rule } = (await create(level)).body;
    const change = (body: object) => owner.call('PATCH', `/panel/rules/${rule.id}`, body);
    const first = await change({ level: 'minor', revision: 1 });
    expect(first.body.rule).toMatchObject({ level: 'minor', revision: 2 });
    const second = await change({ level: 'never', revision: 1 });
    expect([second.status, second.body.code]).toEqual([409, 'rule_changed']);
    expect((await auditOf('update_rule'))[0]).toMatchObject({
      action: 'change',
      context: { before: expect.stringContaining('only patch versions') },
    });
  });

  it('deletes a rule once', async () => {
    const { rule } = (await create(level)).body;
    const remove = () => owner.call('DELETE', `/panel/rules/${rule.id}`);
    expect((await remove()).status).toBe(200);
    expect((await remove()).body.code).toBe('rule_not_found');
    expect((await auditOf('update_rule'))[0]).toMatchObject({ action: 'delete' });
  });

  it('keeps a rule whose tag has no site any more, and deletes it with the tag', async () => {
    await owner.call('PUT', `/panel/sites/${site.id}/tags`, { tags: ['Shop', 'Old'] });
    await create({ tag: 'Old', ...level });
    await owner.call('PUT', `/panel/sites/${site.id}/tags`, { tags: ['Shop'] });
    const list = async () => (await owner.get('/panel/rules')).body.rules;
    expect(await list()).toMatchObject([{ tag: 'Old', sites: 0 }]);
    await panel.pool.query("DELETE FROM tags WHERE name = 'Old'");
    expect(await list()).toEqual([]);
  });
});

describe('/panel/quarantine', () => {
  const shop = { item_type: 'plugin', slug: SHOP, version: '2.0', reason: 'White screen.' };

  it('quarantines a version once, notifies users, and lifts the quarantine with a reason', async () => {
    const { body } = await owner.post('/panel/quarantine', shop);
    const { id } = body.quarantined_version;
    expect(body.quarantined_version).toMatchObject({ ...shop, name: 'Shop', lifted_at: null });
    const { rows } = await panel.pool.query(
      "SELECT data FROM notification_events WHERE type = 'version.quarantined'",
    );
    expect(rows).toEqual([{ data: { ...shop, name: 'Shop' } }]);
    const again = await owner.post('/panel/quarantine', shop);
    expect([again.status, again.body.code]).toEqual([409, 'already_quarantined']);

    const lift = (reason: string) => owner.post(`/panel/quarantine/${id}/lift`, { reason });
    expect((await lift('  ')).status).toBe(400);
    expect((await lift('Fixed.')).body.quarantined_version).toMatchObject({
      lift_reason: 'Fixed.',
    });
    expect((await lift('Again.')).body.code).toBe('quarantine_lifted');
    const actions = (await auditOf('quarantined_version')).map(({ action }) => action);
    expect(actions).toEqual(['lift', 'quarantine']);
    expect((await owner.post('/panel/quarantine', shop)).status).toBe(200);
    const { quarantined_versions } = (await owner.get('/panel/quarantine')).body;
    expect(
      quarantined_versions.map((row: { lifted_at: string | null }) => row.lifted_at !== null),
    ).toEqual([false, true]);
  });

  it('refuses unknown software, the Steward plugin and an unknown id', async () => {
    const post = async (body: object) => (await owner.post('/panel/quarantine', body)).body.code;
    expect(await post({ ...shop, slug: 'none/none.php' })).toBe('software_not_found');
    expect(await post({ ...shop, slug: 'steward/steward.php' })).toBe('invalid_request');
    expect(await post({ ...shop, version: 'x'.repeat(10_000) })).toBe('invalid_request');
    const lifted = await owner.post('/panel/quarantine/999/lift', { reason: 'x' });
    expect(lifted.body.code).toBe('quarantine_not_found');
  });
});

describe('software_versions', () => {
  const firstSeen = async () => {
    const { rows } = await panel.pool.query(
      'SELECT version, first_seen_at FROM software_versions WHERE slug = $1 ORDER BY version',
      ['late/late.php'],
    );
    return rows;
  };

  it('keeps the first appearance of installed and offered versions, also after the software returned', async () => {
    const [late, without] = [inventoryOf('1.0', '1.1', 'late'), inventoryOf('1.0')];
    const { url: site_url } = await license.addSite({ inventory: late });
    const seen = await firstSeen();
    expect(seen.map(({ version }) => version)).toEqual(['1.0', '1.1']);
    await license.post('/api/v1/site/verify', { site_url, inventory: without });
    const { rows } = await panel.pool.query("SELECT FROM software WHERE slug = 'late/late.php'");
    expect(rows).toEqual([]);
    await license.post('/api/v1/site/verify', { site_url, inventory: late });
    expect(await firstSeen()).toEqual(seen);
  });

  it('deletes old versions that no site has', async () => {
    await license.addSite({ inventory: inventoryOf('1.0', '1.1', 'used') });
    await panel.pool.query(`INSERT INTO software_versions (type, slug, version, first_seen_at)
      SELECT 'plugin', 'flood/flood.php', 'v' || n, now() FROM generate_series(1, 500) n`);
    await panel.pool.query(
      'SELECT delete_old_software_versions((SELECT max(id) FROM software_versions) + 1000001)',
    );
    const { rows } = await panel.pool.query(
      "SELECT count(*) FILTER (WHERE slug = 'flood/flood.php') AS flood, count(*) FILTER (WHERE slug = 'used/used.php') AS used FROM software_versions",
    );
    expect(rows).toEqual([{ flood: 0, used: 2 }]);
  });
});

describe('holds in previews', () => {
  it('name the rule in the preview of an update and on the page of the site', async () => {
    const held = await license.addSite({ inventory: inventoryOf('1.0', '2.0') });
    const free = await license.addSite({ inventory: inventoryOf('1.0', '2.0') });
    const { rule } = (await create({ site_id: held.id, ...level })).body;
    const { body } = await owner.post('/panel/sites/update-preview', {
      site_ids: [held.id, free.id],
    });
    const { to_update, held: refused } = body.preview;
    expect(to_update.site_ids).toEqual([free.id]);
    expect(refused).toMatchObject({ count: 1, sites: [{ id: held.id }] });
    const name = new URL(held.url).host;
    const explanation = `Held: only patch versions are allowed. Rule: all plugins, themes and WordPress core on ${name}.`;
    const { site: details } = (await owner.get(`/panel/sites/${held.id}`)).body;
    expect(details.held_items).toMatchObject([
      { slug: SHOP, version: '2.0', hold: { reason: 'level', rule_id: rule.id, explanation } },
    ]);
    expect((await owner.get(`/panel/sites/${free.id}`)).body.site.held_items).toEqual([]);
  });
});
