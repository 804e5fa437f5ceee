import { newToken, withToken } from '@steward/testkit/panel/access-token.ts';
import {
  browser,
  newSignedInUser,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('the validity of an access token', () => {
  const { panel, owner } = usePanelWithOwner();

  const read = async (client: { get: typeof owner.get }) => {
    const { status, body } = await client.get('/panel/sites');
    return [status, body.code];
  };

  describe('ends', () => {
    it('when it expires', async () => {
      const token = await newToken(panel, owner, { expires_in_days: 1 });
      const start = panel.fakes.now;
      panel.fakes.now = new Date(start.getTime() + DAY_MS - 1);
      expect(await read(token)).toEqual([200, undefined]);
      panel.fakes.now = new Date(start.getTime() + DAY_MS);
      expect(await read(token)).toEqual([401, 'token_invalid']);
      panel.fakes.now = start;
    });

    it('when its user revokes it, with an audit record', async () => {
      const token = await newToken(panel, owner);
      const path = `/panel/account/tokens/${token.id}`;
      expect((await owner.call('DELETE', path)).status).toBe(200);
      expect(await read(token)).toEqual([401, 'token_invalid']);
      expect((await owner.call('DELETE', path)).status).toBe(404);
      const records = await listAuditRecords(panel, 'access_token', token.id);
      expect(records.map(({ action }) => action)).toEqual(['create', 'revoke']);
    });

    it('when an owner revokes it; other users cannot', async () => {
      const [viewer, other] = [
        await newSignedInUser(panel, 'viewer'),
        await newSignedInUser(panel, 'viewer'),
      ];
      const token = await newToken(panel, viewer, { role: 'viewer' });
      expect((await other.call('DELETE', `/panel/account/tokens/${token.id}`)).status).toBe(404);
      const listed = await owner.get(`/panel/users/${viewer.id}/tokens`);
      expect(listed.body.tokens).toMatchObject([{ id: token.id, name: 'deploy' }]);
      const path = `/panel/users/${viewer.id}/tokens/${token.id}`;
      expect((await owner.call('DELETE', path)).status).toBe(200);
      expect(await read(token)).toEqual([401, 'token_invalid']);
    });

    it('when its user is disabled, also after the user is enabled again', async () => {
      const user = await newSignedInUser(panel);
      const token = await newToken(panel, user);
      expect((await owner.patch(`/panel/users/${user.id}`, { disabled: true })).status).toBe(200);
      expect(await read(token)).toEqual([401, 'token_invalid']);
      await owner.patch(`/panel/users/${user.id}`, { disabled: false });
      expect(await read(token)).toEqual([401, 'token_invalid']);
      const [disabled] = (await listAuditRecords(panel, 'user', user.id)).filter(
        ({ action }) => action === 'disable',
      );
      expect(disabled?.context).toMatchObject({ tokens_revoked: 1 });
    });

    it('while its user has a lower role', async () => {
      const user = await newSignedInUser(panel);
      const token = await newToken(panel, user);
      await owner.patch(`/panel/users/${user.id}`, { role: 'manager' });
      expect(await read(token)).toEqual([403, 'token_sites_changed']);
      await owner.patch(`/panel/users/${user.id}`, { role: 'owner' });
      expect(await read(token)).toEqual([200, undefined]);
    });

    it('while its user has become an owner, who has more sites', async () => {
      const user = await newSignedInUser(panel, 'manager');
      const token = await newToken(panel, user, { role: 'manager' });
      expect(await read(token)).toEqual([200, undefined]);
      await owner.patch(`/panel/users/${user.id}`, { role: 'owner' });
      expect(await read(token)).toEqual([403, 'token_sites_changed']);
    });

    it('with the same response as a token that never existed', async () => {
      const token = await newToken(panel, owner);
      await owner.call('DELETE', `/panel/account/tokens/${token.id}`);
      const unknown = withToken(panel, `stw_pat_${'B'.repeat(43)}`);
      const [revoked, missing] = [
        await token.get('/panel/sites'),
        await unknown.get('/panel/sites'),
      ];
      const { request_id: _, ...revokedBody } = revoked.body;
      const { request_id: __, ...missingBody } = missing.body;
      expect(revokedBody).toEqual(missingBody);
    });
  });

  it('does not bypass a required second factor', async () => {
    const token = await newToken(panel, owner);
    await panel.pool.query(
      `INSERT INTO panel_settings (name, value) VALUES ('require_second_factor', 'true')`,
    );
    expect(await read(token)).toEqual([403, 'second_factor_required']);
    await panel.pool.query(`DELETE FROM panel_settings WHERE name = 'require_second_factor'`);
  });

  it('does not extend to a token in the query', async () => {
    const { secret } = await newToken(panel, owner);
    for (const name of ['token', 'access_token', 'authorization']) {
      const response = await browser(panel).get(`/panel/overview?${name}=${secret}`);
      expect([response.status, response.body.code]).toEqual([401, 'unauthenticated']);
    }
  });
});
