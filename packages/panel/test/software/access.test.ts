import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRandomInventory } from './support/random-inventory.ts';
import { plugin, useSoftwarePanel, withPlugins } from './support/software-panel.ts';

describe('the software of a manager', () => {
  const { panel, ask, askItem, expectTrueCounts } = useSoftwarePanel();
  const siteIds: number[][] = [];
  const licenseIds: number[] = [];
  const idsOf = (license: number) => siteIds[license] ?? [];
  const licenseId = (license: number) => licenseIds[license] ?? 0;

  beforeAll(async () => {
    for (let n = 0; n < 3; n++) {
      const license = await newLicenseWithSites(panel);
      licenseIds.push(license.id);
      const ids: number[] = [];
      for (let site = 0; site < 6; site++) {
        const { id } = await license.addSite({ inventory: createRandomInventory(n * 6 + site) });
        ids.push(id);
      }
      siteIds.push(ids);
    }
  });

  it('counts the sites of granted licenses and granted sites, each once', async () => {
    const [first = 0, second = 0] = idsOf(1);
    const manager = await newUserWithAccess(panel, 'manager', [
      { licenseId: licenseId(0) },
      { siteId: idsOf(0)[0] ?? 0 },
      { siteId: first },
      { siteId: second },
    ]);
    await expectTrueCounts(manager, [...idsOf(0), first, second]);
  });

  it('follows each change of the grants, in any order', async () => {
    const manager = await newUserWithAccess(panel, 'manager', []);
    const { grant, revoke } = panel.services.siteAccess;
    const siteId = idsOf(2)[0] ?? 0;
    const license = { licenseId: licenseId(2) };
    await grant(manager.id, { siteId }, OPERATOR);
    await expectTrueCounts(manager, [siteId]);
    await grant(manager.id, license, OPERATOR);
    await expectTrueCounts(manager, idsOf(2));
    await revoke(manager.id, { siteId }, OPERATOR);
    await expectTrueCounts(manager, idsOf(2));
    await grant(manager.id, { siteId }, OPERATOR);
    await revoke(manager.id, license, OPERATOR);
    await expectTrueCounts(manager, [siteId]);
    await revoke(manager.id, { siteId }, OPERATOR);
    await expectTrueCounts(manager, []);
    const { rows } = await panel.pool.query('SELECT FROM software_counts WHERE scope = $1', [
      manager.id,
    ]);
    expect(rows).toEqual([]);
  });

  it('counts each site once if one statement changes many grants', async () => {
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: idsOf(0)[2] ?? 0 }]);
    await panel.pool.query(
      `INSERT INTO access_grants (user_id, license_id, created_at)
       SELECT $1, id, now() FROM licenses WHERE id = ANY($2)`,
      [manager.id, licenseIds.slice(0, 2)],
    );
    await expectTrueCounts(manager, [...idsOf(0), ...idsOf(1)]);
    await panel.pool.query('DELETE FROM access_grants WHERE user_id = $1', [manager.id]);
    await expectTrueCounts(manager, []);
  });

  it('follows granted tags and the tags of sites', async () => {
    const [a = 0, b = 0, c = 0] = idsOf(1);
    const owner = { id: (await newSignedInUser(panel, 'owner')).id, role: 'owner' } as const;
    const tag = (change: { add?: string[]; remove?: string[] }, ...siteIds: number[]) =>
      panel.services.tags.addAndRemoveTags(owner, { site_ids: siteIds, ...change }, OPERATOR);
    await tag({ add: ['Shop', 'VIP'] }, a, b);
    const manager = await newUserWithAccess(panel, 'manager', [{ tag: 'shop' }]);
    const { grant, revoke } = panel.services.siteAccess;
    await expectTrueCounts(manager, [a, b]);
    await tag({ add: ['shop'] }, a, c);
    await expectTrueCounts(manager, [a, b, c]);
    await grant(manager.id, [{ tag: 'vip' }, { siteId: c }], OPERATOR);
    await tag({ remove: ['shop'] }, a, c);
    await expectTrueCounts(manager, [a, b, c]);
    await tag({ remove: ['vip'] }, a, b);
    await expectTrueCounts(manager, [b, c]);
    await tag({ add: ['vip'], remove: ['shop'] }, b);
    await expectTrueCounts(manager, [b, c]);
    await grant(manager.id, { licenseId: licenseId(1) }, OPERATOR);
    await revoke(manager.id, [{ tag: 'shop' }, { tag: 'vip' }, { siteId: c }], OPERATOR);
    await expectTrueCounts(manager, idsOf(1));
    await revoke(manager.id, { licenseId: licenseId(1) }, OPERATOR);
    await expectTrueCounts(manager, []);
  });

  it('includes sites that a granted license gets later', async () => {
    const license = await newLicenseWithSites(panel);
    const manager = await newUserWithAccess(panel, 'manager', [{ licenseId: license.id }]);
    const { id } = await license.addSite({ inventory: createRandomInventory(99) });
    await expectTrueCounts(manager, [id]);
  });

  it('includes all sites after the user becomes an owner, and only granted sites after the reverse', async () => {
    const [siteId = 0] = idsOf(0);
    const user = await newUserWithAccess(panel, 'manager', [{ siteId }]);
    const setRole = (role: 'owner' | 'manager') =>
      panel.db.updateTable('users').set({ role }).where('id', '=', user.id).execute();
    await setRole('owner');
    await expectTrueCounts(user);
    await setRole('manager');
    await expectTrueCounts(user, [siteId]);
  });

  it('does not reveal names, counts or versions of other sites', async () => {
    const [mine, others] = [await newLicenseWithSites(panel), await newLicenseWithSites(panel)];
    await mine.addSite({ inventory: withPlugins(plugin('shared', { version: '1.0' })) });
    await others.addSite({
      inventory: withPlugins(
        plugin('shared', { version: '3.0', new_version: '4.0' }),
        plugin('private'),
      ),
    });
    const manager = await newUserWithAccess(panel, 'manager', [{ licenseId: mine.id }]);
    expect((await ask({ search: 'private' }, manager)).slugs).toEqual([]);
    expect((await ask({ search: 'shared' }, manager)).body.software).toMatchObject([
      { sites: 1, outdated_sites: 0, newest_version: '1.0', versions: [{ version: '1.0' }] },
    ]);
    const hidden = await askItem('plugin', 'private/private.php', manager);
    const missing = await askItem('plugin', 'nothing', manager);
    expect([hidden.status, hidden.body.code]).toEqual([404, 'software_not_found']);
    expect(hidden.body.error).toBe(missing.body.error);
  });
});
