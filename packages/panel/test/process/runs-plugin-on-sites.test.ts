import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture({}, { advancesClock: true });

describe('POST /panel/sites/plugin-action', () => {
  it('runs the action on each site, in one run', async () => {
    const sites = [await fixture.newSite(), await fixture.newSite()];
    const { status, body } = await fixture.owner.post('/panel/sites/plugin-action', {
      site_ids: sites.map(({ id }) => id),
      action: 'deactivate',
      plugin: SHOP,
    });
    expect([status, body.success, body.total]).toEqual([200, true, 2]);
    for (const site of sites) {
      expect(site.state.plugins[SHOP]?.active).toBe(false);
      expect(await fixture.readAudit(site.id, 'remote_plugin')).toMatchObject([
        { action: 'deactivate', context: { run_id: body.run_id, outcome: 'succeeded' } },
      ]);
    }
  });

  it('records the versions before and after an update', async () => {
    const site = await fixture.newSite();
    await fixture.owner.post('/panel/sites/plugin-action', {
      site_ids: [site.id],
      action: 'update',
      plugin: SHOP,
    });
    expect(await fixture.readAudit(site.id, 'remote_plugin')).toMatchObject([
      { action: 'update', context: { plugin: SHOP, old_version: '1.0', new_version: '2.0' } },
    ]);
  });

  it('does not claim a new version if the site has not reported', async () => {
    const site = await fixture.newSite();
    await site.options.write({ service_panel_url: 'http://127.0.0.1:9' });
    await fixture.owner.post('/panel/sites/plugin-action', {
      site_ids: [site.id],
      action: 'deactivate',
      plugin: SHOP,
    });
    const [record] = await fixture.readAudit(site.id, 'remote_plugin');
    expect(record?.context).toMatchObject({ old_version: '1.0' });
    expect(record?.context).not.toHaveProperty('new_version');
  });

  it('reports a site without the plugin, and acts on the others', async () => {
    const [without, site] = [
      await fixture.newSite({ plugins: {}, themes: {}, core: { version: '6.0' } }),
      await fixture.newSite(),
    ];
    const { body } = await fixture.owner.post('/panel/sites/plugin-action', {
      site_ids: [without.id, site.id],
      action: 'delete',
      plugin: SHOP,
    });
    expect(body.results).toMatchObject([
      { status: 'failed', code: 'plugin_not_found' },
      { status: 'succeeded' },
    ]);
    expect(site.state.plugins[SHOP]).toBeUndefined();
  });

  it('requires a confirmation to delete a plugin from more than ten sites', async () => {
    const manager = await newSignedInUser(fixture.panel, 'manager');
    fixture.panel.fakes.now = new Date(fixture.panel.fakes.now.getTime() + 11 * 60_000);
    const post = (sites: number) =>
      manager.post('/panel/sites/plugin-action', {
        site_ids: Array.from({ length: sites }, (_, index) => 900_000 + index),
        action: 'delete',
        plugin: SHOP,
      });
    expect((await post(10)).status).toBe(200);
    expect((await post(11)).body.code).toBe('confirmation_required');
  });
});
