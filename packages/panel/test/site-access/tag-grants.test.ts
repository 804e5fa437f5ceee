import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

describe('POST /panel/users/:id/access/grant', () => {
  const { panel, owner } = usePanelWithOwner();
  type User = typeof owner;
  const change = (user: User, verb: 'grant' | 'revoke', body: object) =>
    owner.post(`/panel/users/${user.id}/access/${verb}`, body);
  const tag = (user: User, siteIds: number[], body: object) =>
    user.post('/panel/sites/tags', { site_ids: siteIds, ...body });
  /** Returns the ids of the visible sites, after a check that all routes agree on them. */
  async function visibleTo(user: User) {
    const list = (await user.get('/panel/sites')).body;
    const ids: number[] = list.sites.map(({ id }: { id: number }) => id).sort();
    expect((await user.get('/panel/sites/ids')).body.site_ids.sort()).toEqual(ids);
    expect((await user.get('/panel/overview')).body.overview.sites.total).toBe(ids.length);
    for (const id of ids) expect((await user.get(`/panel/sites/${id}`)).status).toBe(200);
    return ids;
  }

  it('grants several sites, licenses and tags at once; a tag includes sites that get it later', async () => {
    const [one, two] = [await newLicenseWithSites(panel), await newLicenseWithSites(panel)];
    const [a, b, c, d] = [
      (await one.addSite()).id,
      (await one.addSite()).id,
      (await one.addSite()).id,
      (await two.addSite()).id,
    ];
    await tag(owner, [c], { add: ['Shop'] });
    const user = await newSignedInUser(panel, 'manager');
    const body = { site_ids: [a, b], license_ids: [two.id], tags: [' shop '] };
    const { access } = (await change(user, 'grant', body)).body;
    expect(access).toMatchObject({
      sites: [{ site_id: a }, { site_id: b }],
      licenses: [{ license_id: two.id }],
      tags: [{ tag: 'Shop', sites: 1 }],
    });
    expect(await visibleTo(user)).toEqual([a, b, c, d].sort());
    expect((await change(user, 'grant', body)).body.access).toEqual(access);
    const records = await listAuditRecords(panel, 'access', user.id);
    expect(records).toHaveLength(4);
    expect(records.map(({ context }) => context.tag).filter(Boolean)).toEqual(['Shop']);

    await change(user, 'revoke', { site_ids: [a, b, 999_999], license_ids: [two.id] });
    expect(await visibleTo(user)).toEqual([c]);
    await tag(owner, [d], { add: ['shop'] });
    expect(await visibleTo(user)).toEqual([c, d].sort());
    expect((await user.get('/panel/tags')).body.tags).toEqual([{ name: 'Shop', sites: 2 }]);
    // Archived sites are in no list, so they are not counted either.
    await owner.post('/panel/sites/archive', { site_ids: [d] });
    const { tags } = (await owner.get(`/panel/users/${user.id}/access`)).body.access;
    expect(tags).toMatchObject([{ tag: 'Shop', sites: 1 }]);
    await owner.post('/panel/sites/unarchive', { site_ids: [d] });
    await tag(owner, [c], { remove: ['shop'] });
    expect(await visibleTo(user)).toEqual([d]);
    await change(user, 'revoke', { tags: ['SHOP'] });
    expect(await visibleTo(user)).toEqual([]);
  });

  it('lets only owners add or remove a tag that gives access', async () => {
    const license = await newLicenseWithSites(panel);
    const { id } = await license.addSite();
    await tag(owner, [id], { add: ['secret'] });
    const [manager, other] = [
      await newSignedInUser(panel, 'manager'),
      await newSignedInUser(panel, 'viewer'),
    ];
    await change(manager, 'grant', { site_ids: [id] });
    await tag(manager, [id], { remove: ['secret'] });
    await change(other, 'grant', { tags: ['secret'] });
    const refused = await tag(manager, [id], { add: ['fine', 'SECRET'] });
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    expect(refused.body.error).toContain('the tag secret, because it gives users access');
    expect(await visibleTo(other)).toEqual([]);
    const replaced = await manager.call('PUT', `/panel/sites/${id}/tags`, { tags: ['secret'] });
    expect(replaced.status).toBe(403);
    expect((await tag(manager, [id], { add: ['fine'] })).status).toBe(200);
    await tag(owner, [id], { add: ['secret'] });
    // Unchanged tags are no change of access.
    const kept = await manager.call('PUT', `/panel/sites/${id}/tags`, { tags: ['secret', 'new'] });
    expect(kept.status).toBe(200);
    expect(await visibleTo(other)).toEqual([id]);
  });

  it('changes nothing if a target does not exist', async () => {
    const license = await newLicenseWithSites(panel);
    const { id } = await license.addSite();
    const user = await newSignedInUser(panel, 'viewer');
    for (const missing of [{ license_ids: [999_999] }, { tags: ['no such tag'] }]) {
      expect((await change(user, 'grant', { site_ids: [id], ...missing })).status).toBe(404);
    }
    expect((await change(user, 'grant', { site_ids: [id, 999_999] })).status).toBe(404);
    expect((await change(user, 'grant', { site_ids: Array(1001).fill(id) })).status).toBe(400);
    expect(await visibleTo(user)).toEqual([]);
  });
});
