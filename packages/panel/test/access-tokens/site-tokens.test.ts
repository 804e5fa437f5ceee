import { newToken } from '@steward/testkit/panel/access-token.ts';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';
import { findActiveUser } from '../../src/features/access-tokens/index.ts';

const ASYNC = { headers: { prefer: 'respond-async' } };

describe('an access token that is limited to sites', () => {
  const { panel, owner } = usePanelWithOwner();

  const visibleTo = async (client: { get: typeof owner.get }): Promise<number[]> => {
    const { status, body } = await client.get('/panel/sites/ids');
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.site_ids.sort((a: number, b: number) => a - b);
  };
  const refusal = async (client: { get: typeof owner.get }) => {
    const { status, body } = await client.get('/panel/sites');
    return [status, body.code];
  };

  it('sees its sites, the sites of its licenses and tags, and later ones', async () => {
    const [one, two] = [await newLicenseWithSites(panel), await newLicenseWithSites(panel)];
    const [a, b, hidden] = [await one.addSite(), await two.addSite(), await one.addSite()];
    await owner.post('/panel/sites/tags', { site_ids: [hidden.id], add: ['unused'] });
    const token = await newToken(panel, owner, {
      role: 'manager',
      access: { site_ids: [a.id], license_ids: [two.id] },
    });
    expect(token.access).toMatchObject({
      sites: [{ site_id: a.id }],
      licenses: [{ license_id: two.id }],
      tags: [],
    });
    expect(await visibleTo(token)).toEqual([a.id, b.id]);
    const later = await two.addSite();
    expect(await visibleTo(token)).toEqual([a.id, b.id, later.id]);
    expect((await token.get(`/panel/sites/${hidden.id}`)).body.code).toBe('site_not_found');
    expect((await token.get('/panel/overview')).body.overview.sites.total).toBe(3);
    expect((await token.get('/panel/licenses')).body.code).toBe('forbidden');
  });

  it('stops while its user cannot see one of its sites', async () => {
    const license = await newLicenseWithSites(panel);
    const [a, b] = [await license.addSite(), await license.addSite()];
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: a.id }, { siteId: b.id }]);
    const token = await newToken(panel, manager, {
      role: 'manager',
      access: { site_ids: [a.id, b.id] },
    });
    expect(await visibleTo(token)).toEqual([a.id, b.id]);
    await panel.services.siteAccess.revoke(manager.id, { siteId: b.id }, OPERATOR);
    expect(await refusal(token)).toEqual([403, 'token_sites_changed']);
    await panel.services.siteAccess.grant(manager.id, { licenseId: license.id }, OPERATOR);
    expect(await visibleTo(token)).toEqual([a.id, b.id]);
  });

  it('stops after its owner becomes a manager without these sites', async () => {
    const site = await (await newLicenseWithSites(panel)).addSite();
    const chief = await newSignedInUser(panel);
    const token = await newToken(panel, chief, {
      role: 'manager',
      access: { site_ids: [site.id] },
    });
    expect(await visibleTo(token)).toEqual([site.id]);
    await owner.patch(`/panel/users/${chief.id}`, { role: 'manager' });
    expect(await refusal(token)).toEqual([403, 'token_sites_changed']);
  });

  it('acts as a bot user that no list of users contains and that cannot sign in', async () => {
    const site = await (await newLicenseWithSites(panel)).addSite();
    const before = (await owner.get('/panel/users')).body.users;
    const token = await newToken(panel, owner, {
      role: 'manager',
      access: { site_ids: [site.id] },
    });
    expect((await owner.get('/panel/users')).body.users).toEqual(before);
    const { user } = (await token.get('/panel/account/tokens/current')).body;
    expect(user.name).toMatch(/ \(token deploy\)$/);
    for (const [method, path, body] of [
      ['POST', 'reset-password', undefined],
      ['PATCH', '', { role: 'owner' }],
      ['GET', 'access', undefined],
      ['GET', 'tokens', undefined],
      ['POST', 'access/grant', { site_ids: [site.id] }],
      ['PUT', `access/sites/${site.id}`, undefined],
    ] as const) {
      const url = `/panel/users/${user.id}/${path}`.replace(/\/$/, '');
      expect([method, path, (await owner.call(method, url, body)).status]).toEqual([
        method,
        path,
        404,
      ]);
    }
    await expect(panel.services.users.findByEmail(user.email)).rejects.toThrow('does not exist');
    const signIn = await owner.post('/auth/sign-in/email', {
      email: user.email,
      password: 'a long password',
    });
    expect(signIn.body.code).toBe('invalid_credentials');
  });

  it('starts runs that its user and owners see, with the name of the token', async () => {
    const site = await (await newLicenseWithSites(panel)).addSite();
    const other = await newSignedInUser(panel, 'manager');
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: site.id }]);
    const token = await newToken(panel, manager, {
      role: 'manager',
      actions: ['read', 'sync'],
      access: { site_ids: [site.id] },
    });
    const { run_id } = (await token.post('/panel/sites/sync', { site_ids: [site.id] }, ASYNC)).body;
    for (const client of [token, manager, owner]) {
      expect((await client.get(`/panel/runs/${run_id}`)).status).toBe(200);
      const { runs } = (await client.get('/panel/runs')).body;
      expect(runs.map((run: { run_id: number }) => run.run_id)).toContain(run_id);
    }
    expect((await other.get(`/panel/runs/${run_id}`)).body.code).toBe('run_not_found');
  });

  it('loses its bot user, grants and queued runs when its user is disabled', async () => {
    const site = await (await newLicenseWithSites(panel)).addSite();
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: site.id }]);
    const token = await newToken(panel, manager, {
      role: 'manager',
      actions: ['read', 'sync'],
      access: { site_ids: [site.id] },
    });
    const { user } = (await token.get('/panel/account/tokens/current')).body;
    const { run_id } = (await token.post('/panel/sites/sync', { site_ids: [site.id] }, ASYNC)).body;
    expect(await findActiveUser(panel.db, user.id, panel.fakes.now)).toMatchObject({
      id: user.id,
    });
    await owner.patch(`/panel/users/${manager.id}`, { disabled: true });
    expect(await findActiveUser(panel.db, user.id, panel.fakes.now)).toBeNull();
    const grants = await panel.pool.query('SELECT FROM access_grants WHERE user_id = $1', [
      user.id,
    ]);
    expect(grants.rowCount).toBe(0);
    expect((await owner.get(`/panel/runs/${run_id}`)).body.counts).toEqual({ cancelled: 1 });
  });

  it('has a bot user whose sessions the panel does not accept', async () => {
    const site = await (await newLicenseWithSites(panel)).addSite();
    const access = { site_ids: [site.id] };
    const token = await newToken(panel, owner, { role: 'manager', access });
    const bot = (await token.get('/panel/account/tokens/current')).body.user;
    const user = await newSignedInUser(panel);
    expect((await user.get('/panel/sites')).status).toBe(200);
    await panel.pool.query('UPDATE sessions SET user_id = $1 WHERE user_id = $2', [
      bot.id,
      user.id,
    ]);
    expect((await user.get('/panel/sites')).status).toBe(401);
  });

  it('keeps managers from changing its tag until it has expired', async () => {
    const site = await (await newLicenseWithSites(panel)).addSite();
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: site.id }]);
    const setTags = (tags: string[]) =>
      manager.call('PUT', `/panel/sites/${site.id}/tags`, { tags });
    expect((await setTags(['Deployed'])).status).toBe(200);
    await newToken(panel, owner, {
      role: 'manager',
      access: { tags: ['Deployed'] },
      expires_in_days: 1,
    });
    expect((await setTags([])).body.code).toBe('forbidden');
    const before = panel.fakes.now;
    panel.fakes.now = new Date(before.getTime() + 24 * 60 * 60 * 1000);
    const later = await newSignedInUser(panel, 'manager');
    await panel.services.siteAccess.grant(later.id, { siteId: site.id }, OPERATOR);
    const { status } = await later.call('PUT', `/panel/sites/${site.id}/tags`, { tags: [] });
    panel.fakes.now = before;
    expect(status).toBe(200);
  });

  it('gives its bot user no right to act after it has expired', async () => {
    const site = await (await newLicenseWithSites(panel)).addSite();
    const token = await newToken(panel, owner, {
      role: 'manager',
      access: { site_ids: [site.id] },
      expires_in_days: 1,
    });
    const { user } = (await token.get('/panel/account/tokens/current')).body;
    expect(await findActiveUser(panel.db, user.id, panel.fakes.now)).not.toBeNull();
    const start = panel.fakes.now;
    panel.fakes.now = new Date(start.getTime() + 24 * 60 * 60 * 1000);
    expect(await findActiveUser(panel.db, user.id, panel.fakes.now)).toBeNull();
    panel.fakes.now = start;
  });
});
