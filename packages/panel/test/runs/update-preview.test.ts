import {
  inventory,
  newLicenseWithSites,
  newUserWithAccess,
} from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

describe('POST /panel/sites/update-preview', () => {
  const panel = useTestPanel();
  const preview = async (person: Person, site_ids: unknown) =>
    person.call('POST', '/panel/sites/update-preview', { site_ids });

  it('lists sites to update, sites with nothing pending and skipped sites with the reason', async () => {
    const owner = await newSignedInUser(panel, 'owner');
    const license = await newLicenseWithSites(panel);
    const first = await license.addSite({
      inventory: inventory({ plugins: ['forms', 'shop'], core: true }),
    });
    const second = await license.addSite({ inventory: inventory({ themes: ['bright'] }) });
    const upToDate = await license.addSite();
    const neverSynced = await license.addSite({ inventory: null });
    const deactivated = await license.addSite({ inventory: inventory({ plugins: ['forms'] }) });
    await license.deactivate(deactivated.url);
    const other = await newLicenseWithSites(panel);
    const suspended = await other.addSite({ inventory: inventory({ plugins: ['forms'] }) });
    await panel.suspend(other.id);

    const ids = [first, second, upToDate, neverSynced, deactivated, suspended].map(({ id }) => id);
    const { status, body } = await preview(owner, [...ids, first.id, 999_999]);
    expect(status).toBe(200);
    expect(body.preview.to_update.pending).toEqual({ plugins: 2, themes: 1, core: 1 });
    expect(new Set(body.preview.to_update.site_ids)).toEqual(new Set([first.id, second.id]));
    expect(new Set(body.preview.nothing_pending.site_ids)).toEqual(
      new Set([upToDate.id, neverSynced.id]),
    );
    expect(body.preview.skipped.count).toBe(2);
    expect(body.preview.skipped.sites).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: deactivated.id, status: 'deactivated' }),
        expect.objectContaining({ id: suspended.id, status: 'license_invalid' }),
      ]),
    );
    expect(body.preview.not_found).toBe(1);
  });

  it('ignores an outdated Steward plugin, like the site list and the overview', async () => {
    const owner = await newSignedInUser(panel, 'owner');
    const license = await newLicenseWithSites(panel);
    const { id } = await license.addSite({ inventory: inventory({ plugins: ['steward'] }) });
    const { body } = await preview(owner, [id]);
    expect(body.preview.nothing_pending.site_ids).toEqual([id]);
    const { site } = (await owner.get(`/panel/sites/${id}`)).body;
    expect([site.status, site.pending]).toEqual(['up_to_date', { plugins: 0, themes: 0, core: 0 }]);
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: id }]);
    const { sites, pending, outdated_plugins } = (await manager.get('/panel/overview')).body
      .overview;
    expect([sites.by_status.updates, sites.with_updates]).toEqual([0, 0]);
    expect([pending.plugins, outdated_plugins]).toEqual([0, []]);
    expect((await manager.get('/panel/sites?pending=any')).body.sites).toEqual([]);
  });

  it('hides sites that the user may not see', async () => {
    const license = await newLicenseWithSites(panel);
    const granted = await license.addSite({ inventory: inventory({ plugins: ['forms'] }) });
    const hidden = await license.addSite({ inventory: inventory({ plugins: ['forms'] }) });
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: granted.id }]);
    const { body } = await preview(manager, [granted.id, hidden.id]);
    expect(body.preview.to_update.site_ids).toEqual([granted.id]);
    expect(body.preview.not_found).toBe(1);
    expect(JSON.stringify(body)).not.toContain(String(new URL(hidden.url).host));
  });

  it('accepts as many ids as an action, of any length', async () => {
    const owner = await newSignedInUser(panel, 'owner');
    const many = Array.from({ length: 10_000 }, (_, index) => 1_000_000_000_000 + index);
    for (const path of ['/panel/sites/update-preview', '/remote/update', '/panel/sites/sync']) {
      const { status } = await owner.call('POST', path, { site_ids: many });
      expect(status, path).toBe(200);
    }
  });

  it.each([[[]], ['all'], [[-1]], [['1']]])('responds 400 to %j', async (site_ids) => {
    const owner = await newSignedInUser(panel, 'owner');
    const { status, body } = await preview(owner, site_ids);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });
});
