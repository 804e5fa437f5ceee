import {
  inventory,
  newLicenseWithSites,
  newUserWithAccess,
  recordFailure,
} from '@steward/testkit/panel/licensed-sites.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../software/support/random-inventory.ts';

const TAGS = ['shop', 'blog', 'vip', 'care plan'];
const CHANGES = 120;

describe('the stored lists of sites and counts of tags', () => {
  const { panel, owner } = usePanelWithOwner();
  const owning = () => ({ id: owner.id, role: 'owner' }) as const;
  type Site = { id: number; licenseId: number; report: (pending: string[]) => Promise<unknown> };
  const sites: Site[] = [];
  const managers: number[] = [];
  const clients: number[] = [];

  beforeAll(async () => {
    for (let n = 0; n < 3; n++) {
      const license = await newLicenseWithSites(panel);
      for (let site = 0; site < 4; site++) {
        const { id, url: site_url } = await license.addSite({ inventory: null });
        const report = (plugins: string[]) =>
          license.post('/api/v1/site/verify', { site_url, inventory: inventory({ plugins }) });
        sites.push({ id, licenseId: license.id, report });
      }
    }
    for (let n = 0; n < 3; n++) {
      managers.push((await newUserWithAccess(panel, 'manager', [])).id);
    }
    for (const name of ['Acme', 'Bolt']) {
      clients.push((await panel.services.clients.create({ name }, OPERATOR)).id);
    }
    const site_ids = sites.map(({ id }) => id);
    await panel.services.tags.addAndRemoveTags(owning(), { site_ids, add: TAGS }, OPERATOR);
  });

  /** Compares what is stored with the tables that it is derived from. */
  async function expectTrueLists() {
    const visible = `(SELECT 0::bigint AS scope, id FROM sites
      UNION SELECT g.user_id, s.id FROM access_grants g JOIN sites s
        ON s.id = g.site_id OR s.license_id = g.license_id
          OR g.tag_id IN (SELECT tag_id FROM site_tags WHERE site_id = s.id))`;
    const read = async (query: string) => (await panel.pool.query(query)).rows;
    expect(await read('SELECT * FROM listed_sites ORDER BY scope, id')).toEqual(
      await read(`SELECT scope, id, license_id, name, state, pending_total, pending_plugins,
          pending_themes, pending_core
        FROM ${visible} AS visible JOIN sites USING (id)
        WHERE archived_at IS NULL ORDER BY scope, id`),
    );
    expect(await read('SELECT * FROM tag_counts WHERE sites <> 0 ORDER BY scope, tag_id')).toEqual(
      await read(`SELECT scope, tag_id, count(*)::integer AS sites
        FROM ${visible} AS visible JOIN sites USING (id) JOIN site_tags ON site_id = id
        WHERE archived_at IS NULL GROUP BY scope, tag_id ORDER BY scope, tag_id`),
    );
  }

  /** The tags of clients are those of the open memberships. */
  async function expectTrueClients() {
    const read = async (query: string) => (await panel.pool.query(query)).rows;
    expect(
      await read(`SELECT site_id, client_id FROM site_tags JOIN tags t ON t.id = tag_id
        WHERE client_id IS NOT NULL ORDER BY site_id`),
    ).toEqual(
      await read(`SELECT site_id, client_id FROM client_memberships WHERE ended_at IS NULL
        ORDER BY site_id`),
    );
  }

  const expectRefusal = (error: Error) => expect(error.message).not.toMatch(/unavailable|internal/);

  async function setArchived(verb: 'archive' | 'unarchive', site_ids: number[]) {
    expect((await owner.post(`/panel/sites/${verb}`, { site_ids })).status).toBe(200);
  }

  /** Makes one random change of tags, grants or sites. */
  async function changeSomething(random: (below: number) => number) {
    const pick = <Item>(list: Item[]) => list[random(list.length)] as Item;
    const [site, tag] = [pick(sites), pick(TAGS)];
    const { siteAccess, tags, memberships } = panel.services;
    const clientId = pick(clients);
    const targets = [{ siteId: site.id }, { licenseId: site.licenseId }, { tag }, { clientId }];
    const target = pick(targets);
    const client_id = pick([null, clientId]);
    const site_ids = [...new Set([site.id, pick(sites).id, pick(sites).id])];
    const changes = [
      () => siteAccess.grant(pick(managers), target, OPERATOR),
      () => siteAccess.revoke(pick(managers), target, OPERATOR),
      () => tags.addAndRemoveTags(owning(), { site_ids, add: [tag] }, OPERATOR),
      () => tags.addAndRemoveTags(owning(), { site_ids, remove: [tag] }, OPERATOR),
      () => tags.replaceTags(owning(), site.id, [tag, pick(TAGS)], OPERATOR),
      () => memberships.setClient(owning(), { site_ids, client_id }, OPERATOR),
      () => memberships.updateSite(owning(), site.id, { display_name: tag, client_id }, OPERATOR),
      () => setArchived('archive', site_ids),
      () => setArchived('unarchive', site_ids),
      () => recordFailure(panel, site.id, 'site_timeout'),
      // An archived or disconnected site may not report.
      () => site.report(TAGS.slice(random(TAGS.length))).catch(expectRefusal),
    ];
    await pick(changes)();
  }

  it('are true after every change of tags, grants and sites', async () => {
    const random = createRandom(44);
    for (let n = 0; n < CHANGES; n++) {
      await changeSomething(random);
      await expectTrueLists();
      await expectTrueClients();
    }
  });

  it('are true after concurrent changes, none of which fails', async () => {
    for (let seed = 0; seed < 12; seed++) {
      await Promise.all(
        Array.from({ length: 8 }, (_, n) => changeSomething(createRandom(seed * 8 + n))),
      );
      await expectTrueLists();
      await expectTrueClients();
    }
  });

  it('are derived again by rebuild_listed_sites', async () => {
    await panel.executeAsTableOwner('TRUNCATE listed_sites; UPDATE tag_counts SET sites = 999');
    await panel.executeAsTableOwner('SELECT rebuild_listed_sites()');
    await expectTrueLists();
  });

  it('include sites that connect later, and leave out deleted sites and users', async () => {
    const license = await newLicenseWithSites(panel);
    const manager = await newUserWithAccess(panel, 'manager', [{ licenseId: license.id }]);
    const viewer = await newUserWithAccess(panel, 'viewer', [{ tag: 'vip' }]);
    const { id } = await license.addSite();
    await panel.services.tags.replaceTags(owning(), id, ['vip', 'blog'], OPERATOR);
    await expectTrueLists();
    expect((await manager.get('/panel/tags')).body.tags).toEqual([
      { name: 'blog', sites: 1 },
      { name: 'vip', sites: 1 },
    ]);
    await panel.executeAsTableOwner(`DELETE FROM license_activations WHERE site_id = ${id}`);
    await panel.executeAsTableOwner(`DELETE FROM sites WHERE id = ${id}`);
    await expectTrueLists();
    expect((await manager.get('/panel/tags')).body.tags).toEqual([]);
    await panel.executeAsTableOwner(`DELETE FROM users WHERE id = ${viewer.id}`);
    await expectTrueLists();
  });
});
