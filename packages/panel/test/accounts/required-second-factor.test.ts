import { authenticatorApp } from '@steward/testkit/panel/authenticator-app.ts';
import {
  newSignedInUser,
  type Person,
  signedIn,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { afterEach, describe, expect, it } from 'vitest';

describe('the required second factor', () => {
  const { panel, owner } = usePanelWithOwner();

  async function addApp(user: Person) {
    const { totp } = (await user.post('/panel/account/totp')).body;
    const code = await authenticatorApp(totp.secret).codeAt(panel.fakes.now);
    expect((await user.post('/panel/account/totp/activate', { code })).status).toBe(200);
  }
  const require = (user: Person, require_second_factor = true) =>
    user.call('PUT', '/panel/settings', { require_second_factor });

  afterEach(() =>
    panel.pool.query(`DELETE FROM panel_settings WHERE name = 'require_second_factor'`),
  );

  it('cannot be required by an owner without a second factor', async () => {
    const { status, body } = await require(await newSignedInUser(panel));
    expect([status, body.code]).toEqual([409, 'no_second_factor']);
    expect((await owner.get('/panel/settings')).body.settings).toEqual({
      require_second_factor: false,
    });
  });

  it('limits users without one to their own account, also in older sessions', async () => {
    const [chief, manager] = [
      await newSignedInUser(panel),
      await newSignedInUser(panel, 'manager'),
    ];
    await addApp(chief);
    expect((await manager.get('/panel/sites')).status).toBe(200);
    expect((await require(chief)).body.settings).toEqual({ require_second_factor: true });

    const later: Person = { ...manager, ...(await signedIn(panel, manager)) };
    for (const session of [manager, later]) {
      const { status, body } = await session.get('/panel/sites');
      expect([status, body.code]).toEqual([403, 'second_factor_required']);
      const update = await session.post('/remote/update', { site_ids: [1] });
      expect(update.body.code).toBe('second_factor_required');
      expect((await session.get('/panel/session')).status).toBe(200);
      expect((await session.get('/panel/account/second-factors')).body).toMatchObject({
        second_factors: { totp: false, required: true },
      });
    }
    expect((await chief.get('/panel/users')).status).toBe(200);
    await addApp(later);
    for (const session of [manager, later]) {
      expect((await session.get('/panel/sites')).status).toBe(200);
    }
    const remove = await later.call('DELETE', '/panel/account/totp');
    expect([remove.status, remove.body.code]).toEqual([409, 'last_second_factor']);
    expect((await later.get('/panel/sites')).status).toBe(200);
  });

  it('writes one audit record when it is switched on and one when it is switched off', async () => {
    const chief = await newSignedInUser(panel);
    await addApp(chief);
    await require(chief);
    await require(chief);
    await require(chief, false);
    const records = await listAuditRecords(panel, 'setting', 'second_factor');
    expect(records.slice(-2)).toMatchObject([
      { action: 'require', actor: String(chief.id) },
      { action: 'stop_requiring', actor: String(chief.id) },
    ]);
    expect((await chief.call('DELETE', '/panel/account/totp')).status).toBe(200);
  });

  it('needs a confirmation, so a stolen session cannot switch it off', async () => {
    const chief = await newSignedInUser(panel);
    await addApp(chief);
    await require(chief);
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 600_000);
    expect((await require(chief, false)).body.code).toBe('confirmation_required');
  });

  it('appears in the list of users', async () => {
    const [chief, other] = [await newSignedInUser(panel), await newSignedInUser(panel, 'viewer')];
    await addApp(chief);
    const { users } = (await chief.get('/panel/users')).body;
    const hasOne = (id: number) =>
      users.find((user: { id: number }) => user.id === id).second_factor;
    expect([hasOne(chief.id), hasOne(other.id)]).toEqual([true, false]);
  });
});
