import { registerSecret } from '@steward/testkit/logs.ts';
import { authenticatorApp } from '@steward/testkit/panel/authenticator-app.ts';
import {
  browser,
  newEmail,
  newPassword,
  newSignedInUser,
  type Person,
  sessionCookie,
  signedIn,
  signIn,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { afterEach, describe, expect, it } from 'vitest';

const { panel, owner } = usePanelWithOwner();

function readToken({ url }: { url: string }): string {
  const token = url.split('#token=')[1] ?? '';
  registerSecret(token);
  return token;
}

async function invite(role = 'manager') {
  const { body } = await owner.post('/panel/users', { email: newEmail(), role });
  return { ...body.user, token: readToken(body.password_link) };
}

const choose = (token: string, new_password = newPassword(), headers = {}) =>
  browser(panel).post('/panel/set-password', { token, new_password }, { headers });

const findUser = async (id: number) =>
  (await owner.get('/panel/users')).body.users.find((user: { id: number }) => user.id === id);

const countSessions = async (userId: number) =>
  (await panel.pool.query('SELECT 1 FROM sessions WHERE user_id = $1', [userId])).rows.length;

async function addApp(user: Pick<Person, 'post'>) {
  const { totp } = (await user.post('/panel/account/totp')).body;
  const app = authenticatorApp(totp.secret);
  const code = await app.codeAt(panel.fakes.now);
  const { status, body } = await user.post('/panel/account/totp/activate', { code });
  expect(status).toBe(200);
  body.backup_codes?.forEach(registerSecret);
  return app;
}

afterEach(() =>
  panel.pool.query(`DELETE FROM panel_settings WHERE name = 'require_second_factor'`),
);

describe('an invitation', () => {
  it('signs the user in with a session like any other', async () => {
    const { id, email, token } = await invite();
    const password = newPassword();
    const { status, body, cookies } = await choose(token, password);
    expect([status, body.user]).toEqual([200, expect.objectContaining({ id, email })]);
    // The session, and the device that is exempt from the throttling of the address.
    expect(cookies.map((cookie) => cookie.split('=', 1)[0])).toHaveLength(2);
    for (const cookie of cookies) expect(cookie).toMatch(/HttpOnly/);
    const user = browser(panel, sessionCookie(cookies), body.csrf_token);
    expect((await user.get('/panel/session')).body.user.id).toBe(id);
    expect((await user.post('/auth/change-password', {})).body.code).toBe('invalid_request');
    const withoutToken = browser(panel, sessionCookie(cookies));
    const refused = await withoutToken.post('/auth/sign-out');
    expect([refused.status, refused.body.code]).toEqual([403, 'csrf_token_invalid']);
    expect((await signIn(panel, { id, email, password })).status).toBe(200);

    expect(await listAuditRecords(panel, 'user', id)).toMatchObject([
      { action: 'create' },
      { action: 'issue_password_link', actor: String(owner.id) },
      { action: 'set_password', actor: String(id), context: { by: 'invitation' } },
    ]);
    expect((await listAuditRecords(panel, 'sign_in', id))[0]).toMatchObject({
      action: 'succeed',
      actor: String(id),
    });
  });

  it('makes the user invited until a password is chosen, also after a new link', async () => {
    const { id, invited } = await invite();
    expect([invited, (await findUser(id)).invited]).toEqual([true, true]);
    const renewed = await owner.post(`/panel/users/${id}/reset-password`);
    expect((await findUser(id)).invited).toBe(true);
    expect((await owner.patch(`/panel/users/${id}`, { disabled: true })).body.user).toMatchObject({
      invited: false,
      disabled: true,
    });
    await owner.patch(`/panel/users/${id}`, { disabled: false });
    expect((await choose(readToken(renewed.body.password_link))).body.code).toBe('invalid_link');
    const third = await owner.post(`/panel/users/${id}/reset-password`);
    const { body } = await choose(readToken(third.body.password_link));
    expect(body.user.id).toBe(id);
    const after = await findUser(id);
    expect([after.invited, after.last_sign_in_at]).toEqual([false, panel.fakes.now.toISOString()]);
  });

  it('opens one session for concurrent requests', async () => {
    const { id, token } = await invite();
    const responses = await Promise.all([1, 2, 3].map(() => choose(token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
    const refused = responses.filter(({ status }) => status === 403);
    expect(refused.map(({ cookies }) => cookies)).toEqual([[], []]);
    expect(await countSessions(id)).toBe(1);
  });

  it('is refused to a page of another site', async () => {
    const { id, token } = await invite();
    const { status, cookies } = await choose(token, undefined, { origin: 'https://evil.example' });
    expect([status, cookies, (await findUser(id)).invited]).toEqual([403, [], true]);
  });

  it('limits the session to the own account until a required second factor is set up', async () => {
    const { token } = await invite();
    const chief = await newSignedInUser(panel);
    await addApp(chief);
    await chief.call('PUT', '/panel/settings', { require_second_factor: true });
    const { body, cookies } = await choose(token);
    const user = browser(panel, sessionCookie(cookies), body.csrf_token);
    expect((await user.get('/panel/sites')).body.code).toBe('second_factor_required');
    await addApp(user);
    expect((await user.get('/panel/sites')).status).toBe(200);
  });

  it('opens no session for an account with a second factor before its code is entered', async () => {
    const { id, email, token } = await invite();
    const other = await newSignedInUser(panel);
    const app = await addApp(other);
    // A user cannot set up a factor before the first sign-in. The rule must not depend on it.
    await panel.pool.query('UPDATE totp_secrets SET user_id = $1 WHERE user_id = $2', [
      id,
      other.id,
    ]);
    const { rows } = await panel.pool.query('SELECT 1 FROM totp_secrets WHERE user_id = $1', [id]);
    expect(rows).toHaveLength(1);
    const password = newPassword();
    const { status, body, cookies } = await choose(token, password);
    expect([status, body.code, body.methods]).toEqual([401, 'two_factor_required', ['totp']]);
    expect([sessionCookie(cookies), await countSessions(id)]).toEqual(['', 0]);
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 30_000);
    const step = browser(panel, cookies[0]?.split(';', 1)[0] ?? '');
    const code = await app.codeAt(panel.fakes.now).catch(() => '');
    const done = await step.post('/auth/sign-in/second-factor', { code });
    expect([done.status, done.body.user?.email]).toEqual([200, email]);
  });
});

describe('a password link of a user with a password', () => {
  it('opens no session', async () => {
    const user = await newSignedInUser(panel, 'viewer');
    const link = await panel.services.passwords.createLink(user.id, OPERATOR);
    const password = newPassword();
    const { status, body, cookies } = await choose(readToken(link), password);
    expect([status, body, cookies]).toEqual([200, { success: true }, []]);
    expect(await countSessions(user.id)).toBe(0);
    await signedIn(panel, { ...user, password });
  });
});
