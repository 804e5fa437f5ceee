import {
  inventory,
  newLicenseWithSites,
  newPersonWithAccess,
} from '@steward/testkit/panel/licensed-sites.ts';
import { newPerson, type Person } from '@steward/testkit/panel/people.ts';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

describe('POST /panel/sites/update-preview', () => {
  const panel = useTestPanel();
  const preview = async (person: Person, site_ids: unknown) =>
    person.call('POST', '/panel/sites/update-preview', { site_ids });

  it('says what would be updated, what has nothing pending and what is left out, and why', async () => {
    const owner = await newPerson(panel, 'owner');
    const license = await newLicenseWithSites(panel);
    const first = await license.addSite({
      inventory: inventory({ plugins: ['forms', 'shop'], core: true }),
    });
    const second = await license.addSite({ inventory: inventory({ themes: ['bright'] }) });
    const calm = await license.addSite();
    const silent = await license.addSite({ inventory: null });
    const gone = await license.addSite({ inventory: inventory({ plugins: ['forms'] }) });
    await license.deactivate(gone.url);
    const other = await newLicenseWithSites(panel);
    const stopped = await other.addSite({ inventory: inventory({ plugins: ['forms'] }) });
    await panel.suspend(other.id);

    const ids = [first, second, calm, silent, gone, stopped].map(({ id }) => id);
    const { status, body } = await preview(owner, [...ids, first.id, 999_999]);
    expect(status).toBe(200);
    expect(body.preview.to_update.pending).toEqual({ plugins: 2, themes: 1, core: 1 });
    expect(new Set(body.preview.to_update.site_ids)).toEqual(new Set([first.id, second.id]));
    expect(new Set(body.preview.nothing_pending.site_ids)).toEqual(new Set([calm.id, silent.id]));
    expect(body.preview.skipped.count).toBe(2);
    expect(body.preview.skipped.sites).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: gone.id, status: 'deactivated' }),
        expect.objectContaining({ id: stopped.id, status: 'license_invalid' }),
      ]),
    );
    expect(body.preview.not_found).toBe(1);
  });

  it('has nothing to update where only the management plugin is outdated, and so says the list', async () => {
    const owner = await newPerson(panel, 'owner');
    const license = await newLicenseWithSites(panel);
    const { id } = await license.addSite({ inventory: inventory({ plugins: ['steward'] }) });
    const { body } = await preview(owner, [id]);
    expect(body.preview.nothing_pending.site_ids).toEqual([id]);
    const { site } = (await owner.get(`/panel/sites/${id}`)).body;
    expect([site.status, site.pending]).toEqual(['up_to_date', { plugins: 0, themes: 0, core: 0 }]);
    const manager = await newPersonWithAccess(panel, 'manager', [{ siteId: id }]);
    const { sites, pending, outdated_plugins } = (await manager.get('/panel/overview')).body
      .overview;
    expect([sites.by_status.updates, sites.with_updates]).toEqual([0, 0]);
    expect([pending.plugins, outdated_plugins]).toEqual([0, []]);
    expect((await manager.get('/panel/sites?pending=any')).body.sites).toEqual([]);
  });

  it('tells nobody of sites that are not theirs', async () => {
    const license = await newLicenseWithSites(panel);
    const mine = await license.addSite({ inventory: inventory({ plugins: ['forms'] }) });
    const foreign = await license.addSite({ inventory: inventory({ plugins: ['forms'] }) });
    const manager = await newPersonWithAccess(panel, 'manager', [{ siteId: mine.id }]);
    const { body } = await preview(manager, [mine.id, foreign.id]);
    expect(body.preview.to_update.site_ids).toEqual([mine.id]);
    expect(body.preview.not_found).toBe(1);
    expect(JSON.stringify(body)).not.toContain(String(new URL(foreign.url).host));
  });

  it('takes as many ids as an action does, however long they are', async () => {
    const owner = await newPerson(panel, 'owner');
    const many = Array.from({ length: 10_000 }, (_, index) => 1_000_000_000_000 + index);
    for (const path of ['/panel/sites/update-preview', '/remote/update', '/panel/sites/sync']) {
      const { status } = await owner.call('POST', path, { site_ids: many });
      expect(status, path).toBe(200);
    }
  });

  it.each([[[]], ['all'], [[-1]], [['1']]])('refuses %j', async (site_ids) => {
    const owner = await newPerson(panel, 'owner');
    const { status, body } = await preview(owner, site_ids);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });
});
