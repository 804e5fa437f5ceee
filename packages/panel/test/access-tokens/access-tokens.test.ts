import { newToken, withToken } from '@steward/testkit/panel/access-token.ts';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('access tokens', () => {
  const { panel, owner } = usePanelWithOwner();

  const read = async (client: { get: typeof owner.get }, path = '/panel/sites') => {
    const { status, body } = await client.get(path);
    return [status, body.code];
  };
  const create = (user: typeof owner, request: object) =>
    user.post('/panel/account/tokens', {
      name: 'deploy',
      role: 'owner',
      actions: ['read'],
      ...request,
    });

  describe('POST /panel/account/tokens', () => {
    it('returns the token once, stores its hash, and writes an audit record', async () => {
      const token = await newToken(panel, owner, { actions: ['read', 'update'] });
      expect(token.secret).toMatch(/^stw_pat_[A-Za-z0-9_-]{43}$/);
      expect(token).toMatchObject({
        name: 'deploy',
        last_four: token.secret.slice(-4),
        access: null,
        is_expired: false,
        last_used_at: null,
        expires_at: new Date(panel.fakes.now.getTime() + 90 * DAY_MS).toISOString(),
      });
      const listed = await owner.get('/panel/account/tokens');
      expect(listed.body.tokens).toContainEqual(expect.objectContaining({ id: token.id }));
      const rows = await panel.pool.query('SELECT t::text FROM access_tokens t');
      expect(JSON.stringify([rows.rows, listed.body])).not.toContain(token.secret.slice(8));
      const [record] = await listAuditRecords(panel, 'access_token', token.id);
      expect(record).toMatchObject({
        action: 'create',
        actor: String(owner.id),
        context: { user_id: owner.id, name: 'deploy', role: 'owner', actions: ['read', 'update'] },
      });
      expect(JSON.stringify(record)).not.toContain(token.secret.slice(8));
    });

    it('needs a confirmation', async () => {
      const user = await newSignedInUser(panel);
      const before = panel.fakes.now;
      panel.fakes.now = new Date(before.getTime() + 11 * 60_000);
      const { status, body } = await create(user, {});
      panel.fakes.now = before;
      expect([status, body.code]).toEqual([403, 'confirmation_required']);
    });

    it.each([
      ['an unknown action', { actions: ['everything'] }],
      ['no action', { actions: [] }],
      ['a longer validity than a year', { expires_in_days: 367 }],
      ['no validity', { expires_in_days: 0 }],
      ['a name with a line break', { name: 'a\nb' }],
      ['an empty name', { name: '  ' }],
      ['an empty list of sites', { role: 'manager', access: { site_ids: [] } }],
      ['the role owner for some sites', { access: { site_ids: [1] } }],
      ['a lower role of an owner without sites', { role: 'manager' }],
      ['an action that the role cannot use', { role: 'viewer', actions: ['update'] }],
    ])('refuses %s', async (_, request) => {
      const { status, body } = await create(owner, request);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    });

    it('gives a manager no higher role, and no site, license or tag of others', async () => {
      const license = await newLicenseWithSites(panel);
      const [mine, other] = [await license.addSite(), await license.addSite()];
      await owner.post('/panel/sites/tags', { site_ids: [mine.id], add: ['VIP'] });
      const manager = await newUserWithAccess(panel, 'manager', [{ siteId: mine.id }]);
      expect((await create(manager, {})).body.code).toBe('invalid_request');
      for (const [access, code] of [
        [{ site_ids: [mine.id, other.id] }, 'site_not_found'],
        [{ site_ids: [999_999] }, 'site_not_found'],
        [{ license_ids: [license.id] }, 'not_found'],
        [{ license_ids: [999_999] }, 'not_found'],
        [{ tags: ['VIP'] }, 'not_found'],
        [{ tags: ['unknown'] }, 'not_found'],
      ] as const) {
        const { status, body } = await create(manager, { role: 'manager', access });
        expect([access, status, body.code]).toEqual([access, 404, code]);
      }
      expect((await manager.get('/panel/account/tokens')).body.tokens).toEqual([]);
      expect(
        (await create(manager, { role: 'manager', access: { site_ids: [mine.id] } })).status,
      ).toBe(200);
    });

    it('allows a viewer to read only', async () => {
      const viewer = await newSignedInUser(panel, 'viewer');
      expect((await create(viewer, { role: 'viewer', actions: ['update'] })).status).toBe(400);
      expect((await create(viewer, { role: 'manager', actions: ['read'] })).status).toBe(400);
      const token = await newToken(panel, viewer, { role: 'viewer' });
      expect((await token.get('/panel/sites')).status).toBe(200);
    });

    it('counts expired tokens toward the limit; they stay in the list', async () => {
      const user = await newSignedInUser(panel);
      await panel.executeAsTableOwner(
        `INSERT INTO access_tokens (user_id, name, token_hash, last_four, role, actions, created_at, expires_at)
         SELECT ${user.id}, 'old', sha256(('old ${user.id} ' || n)::bytea), 'aaaa', 'owner', '{read}', '2020-01-01',
           '2020-02-01' FROM generate_series(1, 50) n`,
      );
      expect((await create(user, {})).body.code).toBe('too_many_tokens');
      const [{ id }] = (await user.get('/panel/account/tokens')).body.tokens;
      await user.call('DELETE', `/panel/account/tokens/${id}`);
      expect((await create(user, {})).status).toBe(200);
    });

    it('limits a user to 50 tokens, also for concurrent requests', async () => {
      const user = await newSignedInUser(panel);
      await panel.executeAsTableOwner(
        `INSERT INTO access_tokens (user_id, name, token_hash, last_four, role, actions, created_at, expires_at)
         SELECT ${user.id}, 'n', sha256(('${user.id} ' || n)::bytea), 'aaaa', 'owner', '{read}', now(), 'infinity'
         FROM generate_series(1, 49) n`,
      );
      const two = await Promise.all([create(user, {}), create(user, {})]);
      expect(two.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect((await create(user, {})).body.code).toBe('too_many_tokens');
    });
  });

  describe('a request with a token', () => {
    it('needs no cookie and no CSRF token', async () => {
      const token = await newToken(panel, owner, { actions: ['read', 'sites'] });
      const site = await (await newLicenseWithSites(panel)).addSite();
      expect(await read(token)).toEqual([200, undefined]);
      const { status } = await token.post('/panel/sites/tags', {
        site_ids: [site.id],
        add: ['by token'],
      });
      expect(status).toBe(200);
    });

    it('cannot change a tag that gives users access, also with the role owner', async () => {
      const token = await newToken(panel, owner, { actions: ['read', 'sites'] });
      const license = await newLicenseWithSites(panel);
      const [granted, other] = [await license.addSite(), await license.addSite()];
      const add = (client: { post: typeof owner.post }, siteId: number) =>
        client.post('/panel/sites/tags', { site_ids: [siteId], add: ['Client'] });
      expect((await add(owner, granted.id)).status).toBe(200);
      await newUserWithAccess(panel, 'manager', [{ tag: 'Client' }]);
      const refused = [
        await add(token, other.id),
        await token.call('PUT', `/panel/sites/${other.id}/tags`, { tags: ['client'] }),
        await token.call('PUT', `/panel/sites/${granted.id}/tags`, { tags: [] }),
      ];
      for (const { status, body } of refused) {
        expect([status, body.code]).toEqual([403, 'forbidden']);
        expect(body.error).toMatch(/not access tokens, can add or remove the tag Client/);
      }
      expect((await add(owner, other.id)).status).toBe(200);
    });

    it('has the identity of the token, whatever cookie it also has', async () => {
      const viewer = await newSignedInUser(panel, 'viewer');
      const token = await newToken(panel, viewer, { role: 'viewer' });
      const mixed = { headers: { cookie: owner.cookie, 'x-csrf-token': owner.csrfToken } };
      expect((await token.get('/panel/licenses', mixed)).body.code).toBe('forbidden');
      const invalid = withToken(panel, `stw_pat_${'A'.repeat(43)}`);
      expect((await invalid.get('/panel/sites', mixed)).body.code).toBe('token_invalid');
    });

    it('is refused without the action, and the error names it', async () => {
      const token = await newToken(panel, owner, { actions: ['read', 'sync'] });
      const { status, body } = await token.post('/remote/update', { site_ids: [1] });
      expect([status, body.code]).toEqual([403, 'token_action_missing']);
      expect(body.error).toContain('update');
    });

    it('needs the action that the body requires', async () => {
      const site = await (await newLicenseWithSites(panel)).addSite();
      const updating = await newToken(panel, owner, { actions: ['update'] });
      const body = { site_ids: [site.id], plugin: 'calm/calm.php' };
      const act = (action: string) =>
        updating.post(
          '/panel/sites/plugin-action',
          { ...body, action },
          {
            headers: { prefer: 'respond-async' },
          },
        );
      expect((await act('delete')).body.code).toBe('token_action_missing');
      expect((await act('update')).status).toBe(202);
      const single = await updating.post('/remote/plugin-action', {
        site_id: site.id,
        plugin: 'calm/calm.php',
        action: 'deactivate',
      });
      expect(single.body.code).toBe('token_action_missing');
    });

    it('cannot delete a plugin on many sites, which needs a confirmation', async () => {
      const token = await newToken(panel, owner, { actions: ['plugins'] });
      const site_ids = Array.from({ length: 11 }, (_, index) => index + 1);
      const { status, body } = await token.post('/panel/sites/plugin-action', {
        site_ids,
        plugin: 'calm/calm.php',
        action: 'delete',
      });
      expect([status, body.code]).toEqual([403, 'token_not_allowed']);
    });

    it('can install with the action, although a session needs a confirmation', async () => {
      const site = await (await newLicenseWithSites(panel)).addSite();
      const token = await newToken(panel, owner, { actions: ['install'] });
      const request = {
        site_ids: [site.id],
        items: [{ type: 'plugin', slug: 'calm', version: '1.0' }],
      };
      const { status, body } = await token.post('/panel/sites/install', request, {
        headers: { prefer: 'respond-async' },
      });
      expect([status, body.kind]).toEqual([200, 'install']);
    });

    it('can cancel and retry only runs that it may start', async () => {
      const site = await (await newLicenseWithSites(panel)).addSite();
      const { run_id } = (
        await owner.post(
          '/remote/update',
          { site_ids: [site.id] },
          { headers: { prefer: 'respond-async' } },
        )
      ).body;
      const syncing = await newToken(panel, owner, { actions: ['sync'] });
      const updating = await newToken(panel, owner, { actions: ['update'] });
      const cancelled = await syncing.post(`/panel/runs/${run_id}/cancel`);
      expect(cancelled.body.code).toBe('token_action_missing');
      expect((await updating.post(`/panel/runs/${run_id}/cancel`)).status).toBe(200);
      const retried = await syncing.post(`/panel/runs/${run_id}/retry`);
      expect(retried.body.code).toBe('token_action_missing');
      const again = await updating.post(`/panel/runs/${run_id}/retry`, undefined, {
        headers: { prefer: 'respond-async' },
      });
      expect(again.status).toBe(202);
    });

    it('writes audit records with the user and the token', async () => {
      const token = await newToken(panel, owner, { name: 'audited', actions: ['sync'] });
      const site = await (await newLicenseWithSites(panel)).addSite();
      const { body } = await token.post(
        '/panel/sites/sync',
        { site_ids: [site.id] },
        {
          headers: { prefer: 'respond-async' },
        },
      );
      const [record] = await listAuditRecords(panel, 'run', body.run_id);
      expect(record).toMatchObject({
        actor: String(owner.id),
        context: { via: 'panel', token: { id: token.id, name: 'audited' } },
      });
    });

    it('can read its own token', async () => {
      const token = await newToken(panel, owner, { actions: ['sync'] });
      const { body } = await token.get('/panel/account/tokens/current');
      expect(body).toMatchObject({
        user: { id: owner.id, role: 'owner' },
        token: { id: token.id, actions: ['sync'] },
      });
      expect((await owner.get('/panel/account/tokens/current')).status).toBe(404);
    });

    it('records its last use at most once a minute, and not after a refusal', async () => {
      const user = await newSignedInUser(panel);
      const token = await newToken(panel, user, { expires_in_days: 1 });
      const lastUsed = async () => {
        const { body } = await owner.get(`/panel/users/${user.id}/tokens`);
        return [body.tokens[0].last_used_at, body.tokens[0].last_used_ip];
      };
      const start = panel.fakes.now;
      const at = (milliseconds: number) => new Date(start.getTime() + milliseconds);
      await token.get('/panel/sites', { remoteAddress: '198.51.100.7' });
      expect(await lastUsed()).toEqual([start.toISOString(), '198.51.100.7']);
      panel.fakes.now = at(59_000);
      await token.get('/panel/sites', { remoteAddress: '198.51.100.8' });
      expect(await lastUsed()).toEqual([start.toISOString(), '198.51.100.7']);
      panel.fakes.now = at(60_000);
      await token.get('/panel/sites', { remoteAddress: '198.51.100.8' });
      expect(await lastUsed()).toEqual([at(60_000).toISOString(), '198.51.100.8']);
      panel.fakes.now = at(DAY_MS);
      expect(await read(token)).toEqual([401, 'token_invalid']);
      panel.fakes.now = start;
      expect(await lastUsed()).toEqual([at(60_000).toISOString(), '198.51.100.8']);
    });
  });

  it('are not created for a user that does not exist', async () => {
    const request = { name: 'cli', role: 'owner', actions: ['read'] } as const;
    await expect(
      panel.services.accessTokens.create(999_999, { ...request, actions: ['read'] }, OPERATOR),
    ).rejects.toThrow();
  });
});
