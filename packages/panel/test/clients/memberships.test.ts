import { newToken } from '@steward/testkit/panel/access-token.ts';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

describe('the client of a site', () => {
  const { panel, owner } = usePanelWithOwner();
  let clientCount = 0;
  let license: Awaited<ReturnType<typeof newLicenseWithSites>>;
  beforeAll(async () => {
    license = await newLicenseWithSites(panel);
  });

  /** The tests change the time, and a confirmation ends after some minutes. */
  beforeEach(async () => {
    await owner.post('/auth/confirm', { password: owner.password });
  });

  const newClient = async (): Promise<number> => {
    const name = `Client ${++clientCount}`;
    return (await owner.post('/panel/clients', { name })).body.client.id;
  };
  const newSite = async () => (await license.addSite()).id;
  const move = (site_ids: number[], client_id: number | null, user = owner) =>
    user.post('/panel/sites/client', { site_ids, client_id });
  const readHistory = (siteId: number) =>
    panel.db
      .selectFrom('client_memberships')
      .select(['client_id', 'started_at', 'ended_at'])
      .where('site_id', '=', siteId)
      .orderBy('id')
      .execute();
  const minutesLater = (minutes: number) => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + minutes * 60_000);
    return panel.fakes.now;
  };
  const listIds = async (query: string, user: Pick<typeof owner, 'get'> = owner) => {
    const { body } = await user.get(`/panel/sites?${query}`);
    return body.sites.map(({ id }: { id: number }) => id).sort();
  };

  it('is kept with from and to, also if a site moves within a minute or the clock goes back', async () => {
    const [a, b, site] = [await newClient(), await newClient(), await newSite()];
    const first = minutesLater(1);
    await move([site], a);
    const second = minutesLater(5);
    await move([site], b);
    await move([site], b);
    await move([site], a);
    const back = minutesLater(-60);
    await move([site], b);
    const last = minutesLater(90);
    await move([site], null);
    expect(await readHistory(site)).toEqual([
      { client_id: a, started_at: first, ended_at: second },
      { client_id: b, started_at: second, ended_at: second },
      { client_id: a, started_at: second, ended_at: second },
      { client_id: b, started_at: second, ended_at: last },
    ]);
    expect(back < second).toBe(true);
    const records = await listAuditRecords(panel, 'site', site);
    const moves = records.filter(({ action }) => action === 'set_client');
    const named = (id: number | null) =>
      id === null ? null : { id, name: expect.stringMatching(/^Client /) };
    expect(moves.map(({ context }) => context)).toMatchObject(
      [null, a, b, a, b, null].slice(1).map((after, index, list) => ({
        before: named(index === 0 ? null : (list[index - 1] ?? null)),
        after: named(after),
      })),
    );
  });

  it('is one at a time: the database refuses a second one, now and in the past', async () => {
    const [a, b, site] = [await newClient(), await newClient(), await newSite()];
    await move([site], a);
    const [{ started_at } = { started_at: new Date() }] = await readHistory(site);
    const insert = (from: Date, to: Date | null) =>
      panel.pool.query(
        'INSERT INTO client_memberships (site_id, client_id, started_at, ended_at) VALUES ($1, $2, $3, $4)',
        [site, b, from, to],
      );
    const hour = 3_600_000;
    const [before, after] = [
      new Date(started_at.getTime() - hour),
      new Date(started_at.getTime() + hour),
    ];
    for (const end of [null, after])
      await expect(insert(before, end)).rejects.toThrow('one_client_at_a_time');
    await expect(insert(after, null)).rejects.toThrow('one_client_at_a_time');
    await insert(before, started_at);
  });

  it('is exactly one after concurrent moves, none of which fails', async () => {
    const clients = [await newClient(), await newClient(), await newClient()];
    const sites = [await newSite(), await newSite(), await newSite(), await newSite()];
    const statuses = await Promise.all(
      Array.from({ length: 18 }, (_, n) =>
        move(n % 2 ? sites : sites.toReversed(), clients[n % 3] ?? null),
      ),
    );
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
    for (const site of sites) {
      const open = (await readHistory(site)).filter(({ ended_at }) => ended_at === null);
      expect(open).toHaveLength(1);
    }
  });

  it('filters lists and selections, and sites without a client have their own filter', async () => {
    const [a, one, two, none] = [
      await newClient(),
      await newSite(),
      await newSite(),
      await newSite(),
    ];
    expect((await move([one, two, 999_999], a)).body).toEqual({
      ...{ success: false, changed: 2, not_found: 1 },
    });
    expect(await listIds(`client_id=${a}`)).toEqual([one, two].sort());
    const selected = (await owner.get(`/panel/sites/ids?client_id=${a}`)).body.site_ids;
    expect(selected.sort()).toEqual([one, two].sort());
    const free = await listIds('client_id=none&limit=200');
    expect(free).toContain(none);
    expect(free).not.toContain(one);
    expect(await listIds('client_id=999999')).toEqual([]);
    expect((await owner.get('/panel/sites?client_id=all')).status).toBe(400);
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: one }]);
    expect(await listIds(`client_id=${a}`, manager)).toEqual([one]);
    const { clients } = (await owner.get('/panel/clients')).body;
    expect(clients.find(({ id }: { id: number }) => id === a).sites).toBe(2);
  });

  it('gives access: a manager sees the sites that join later, and no longer those that leave', async () => {
    const [a, b, here, later] = [
      await newClient(),
      await newClient(),
      await newSite(),
      await newSite(),
    ];
    await move([here], a);
    const manager = await newUserWithAccess(panel, 'manager', [{ clientId: a }]);
    const { access } = (await owner.get(`/panel/users/${manager.id}/access`)).body;
    expect(access.clients).toMatchObject([{ client_id: a, sites: 1 }]);
    expect(access.tags).toEqual([]);
    expect(await listIds('', manager)).toEqual([here]);
    await move([later], a);
    expect(await listIds('', manager)).toEqual([here, later].sort());
    expect((await manager.get(`/panel/sites/${later}`)).status).toBe(200);
    await move([here], b);
    expect(await listIds('', manager)).toEqual([later]);
    expect((await manager.get(`/panel/sites/${here}`)).status).toBe(404);
    expect((await manager.get('/panel/overview')).body.overview.sites.total).toBe(1);
    const software = (await manager.get('/panel/software')).body.software;
    expect(new Set(software.map(({ sites }: { sites: number }) => sites))).toEqual(new Set([1]));

    await owner.post(`/panel/clients/${a}/archive`);
    expect(await listIds('', manager)).toEqual([]);
    const afterwards = (await owner.get(`/panel/users/${manager.id}/access`)).body.access;
    expect(afterwards.clients).toEqual([]);
    const records = await listAuditRecords(panel, 'access', manager.id);
    expect(records).toMatchObject([
      { action: 'grant', context: { client: { id: a } } },
      { action: 'revoke', context: { client: { id: a } } },
    ]);
    const again = await owner.post(`/panel/users/${manager.id}/access/grant`, { client_ids: [a] });
    expect([again.status, again.body.code]).toEqual([404, 'client_not_found']);
  });

  it('changes only by owners, after a confirmation, while the client gives users access', async () => {
    const [a, b, site] = [await newClient(), await newClient(), await newSite()];
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: site }]);
    await move([site], a);
    expect((await move([site], null, manager)).body.changed).toBe(1);
    await move([site], a);
    await newUserWithAccess(panel, 'viewer', [{ clientId: a }]);
    for (const client_id of [null, b]) {
      const refused = await manager.call('PUT', `/panel/sites/${site}`, { client_id });
      expect(refused.status).toBe(client_id === null ? 403 : 404);
    }
    const refused = await move([site], null, manager);
    expect(refused.body.error).toMatch(/^Only owners can add sites to the client Client \d+ or/);
    const { call } = await newToken(panel, owner, { actions: ['sites'] });
    const body = { site_ids: [site], client_id: null };
    expect((await call('POST', '/panel/sites/client', body)).status).toBe(403);
    minutesLater(60);
    for (const response of [await move([site], b), await owner.post(`/panel/clients/${a}/archive`)])
      expect([response.status, response.body.code]).toEqual([403, 'confirmation_required']);
    expect((await owner.get(`/panel/sites/${site}`)).body.site.client.id).toBe(a);
    await owner.post('/auth/confirm', { password: owner.password });
    expect((await move([site], b)).body.changed).toBe(1);
  });

  it('names no earlier client to a manager in the history of the site', async () => {
    const [a, b, site] = [await newClient(), await newClient(), await newSite()];
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: site }]);
    await move([site], a);
    await move([site], b);
    const readMoves = async (user: Pick<typeof owner, 'get'>) => {
      const { history } = (await user.get(`/panel/sites/${site}`)).body;
      return history
        .filter(({ action }: { action: string }) => action === 'set_client')
        .map(({ context: { before, after } }: { context: Record<string, { id?: number }> }) => [
          before?.id,
          after?.id,
        ]);
    };
    expect(await readMoves(manager)).toEqual([
      [undefined, b],
      [undefined, undefined],
    ]);
    expect(await readMoves(owner)).toEqual([
      [a, b],
      [undefined, a],
    ]);
  });

  it('limits an access token, which a manager can create only for granted clients', async () => {
    const [a, b, site, other] = [
      await newClient(),
      await newClient(),
      await newSite(),
      await newSite(),
    ];
    await move([site], a);
    await move([other], b);
    const manager = await newUserWithAccess(panel, 'manager', [{ clientId: a }, { siteId: other }]);
    const request = { name: 'by client', role: 'manager', actions: ['read'] };
    const create = (client_ids: number[]) =>
      manager.post('/panel/account/tokens', { ...request, access: { client_ids } });
    expect((await create([b])).body.code).toBe('client_not_found');
    const token = await newToken(panel, manager, {
      ...{ role: 'manager', access: { client_ids: [a] } },
    });
    expect(token.access?.clients).toMatchObject([{ client_id: a }]);
    expect(await listIds('', token)).toEqual([site]);
  });
});
