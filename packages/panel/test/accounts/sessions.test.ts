import {
  browser,
  newPassword,
  newSignedInUser,
  newUser,
  signedIn,
  signIn,
} from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR, useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

const DAY_MS = 24 * 60 * 60 * 1000;
const panel = useTestPanel();

describe('a session', () => {
  const getStatus = async (user: { get: ReturnType<typeof browser>['get'] }) =>
    (await user.get('/panel/session')).status;

  it('expires after seven days, even when it is used', async () => {
    const start = panel.fakes.now;
    onTestFinished(() => {
      panel.fakes.now = start;
    });
    const user = await newSignedInUser(panel);
    for (const days of [1, 3, 6.99]) {
      panel.fakes.now = new Date(start.getTime() + days * DAY_MS);
      expect(await getStatus(user)).toBe(200);
    }
    panel.fakes.now = new Date(start.getTime() + 7 * DAY_MS);
    expect(await getStatus(user)).toBe(401);
  });

  it('ends when its user is disabled, and stays ended when the user is enabled again', async () => {
    const user = await newSignedInUser(panel, 'manager');
    await panel.services.users.update(user.id, { disabled: true }, OPERATOR);
    expect(await getStatus(user)).toBe(401);
    await panel.services.users.update(user.id, { disabled: false }, OPERATOR);
    expect(await getStatus(user)).toBe(401);
  });

  it('uses the current role of the user', async () => {
    const user = await newSignedInUser(panel, 'manager');
    await panel.services.users.update(user.id, { role: 'viewer' }, OPERATOR);
    expect((await user.get('/panel/session')).body.user.role).toBe('viewer');
  });

  it('cannot be stolen from the database, because the cookie is signed', async () => {
    const user = await newSignedInUser(panel);
    const { rows } = await panel.pool.query('SELECT token FROM sessions WHERE user_id = $1', [
      user.id,
    ]);
    expect(decodeURIComponent(user.cookie)).toContain(rows[0].token);
    expect(await getStatus(browser(panel, `steward.session_token=${rows[0].token}`))).toBe(401);
  });
});

describe('POST /auth/sign-out', () => {
  it('ends only this session, on the panel and in the browser', async () => {
    const user = await newUser(panel);
    const [here, there] = [await signedIn(panel, user), await signedIn(panel, user)];
    const { status, body, cookies } = await here.post('/auth/sign-out');
    expect([status, body]).toEqual([200, { success: true }]);
    const deletion = cookies.find((cookie) => cookie.startsWith('steward.session_token=;'));
    expect(deletion).toContain('Max-Age=0');
    expect((await here.get('/panel/session')).status).toBe(401);
    expect((await there.get('/panel/session')).status).toBe(200);
  });

  it('is recorded', async () => {
    const user = await newSignedInUser(panel);
    const { body } = await user.get('/panel/sessions');
    await user.post('/auth/sign-out');
    expect(await listAuditRecords(panel, 'session', body.sessions[0].id)).toMatchObject([
      {
        action: 'end',
        actor: String(user.id),
        context: { user_id: user.id, reason: 'sign_out', via: 'panel' },
      },
    ]);
  });
});

describe('the sessions of a user', () => {
  it('are listed without their tokens', async () => {
    const user = await newUser(panel);
    await signIn(panel, user, { headers: { 'user-agent': 'Phone' }, remoteAddress: '203.0.113.7' });
    const session = await signedIn(panel, user);
    const { status, body } = await session.get('/panel/sessions');
    expect(status).toBe(200);
    const times = {
      created_at: '2026-06-01T12:00:00.000Z',
      expires_at: '2026-06-08T12:00:00.000Z',
    };
    expect(body.sessions).toEqual([
      { id: expect.any(Number), current: false, ip: '203.0.113.7', user_agent: 'Phone', ...times },
      expect.objectContaining({ current: true, ip: '127.0.0.1' }),
    ]);
  });

  it('can be ended one by one', async () => {
    const user = await newUser(panel);
    const [here, there] = [await signedIn(panel, user), await signedIn(panel, user)];
    const { sessions } = (await there.get('/panel/sessions')).body;
    const { id } = sessions.find((each: { current: boolean }) => each.current);
    expect((await here.call('DELETE', `/panel/sessions/${id}`)).status).toBe(200);
    expect((await there.get('/panel/session')).status).toBe(401);
    expect((await here.call('DELETE', `/panel/sessions/${id}`)).status).toBe(404);
    expect(await listAuditRecords(panel, 'session', id)).toMatchObject([{ action: 'end' }]);
  });

  it('can be ended together, except the current one', async () => {
    const user = await newUser(panel);
    const [here, ...others] = [
      await signedIn(panel, user),
      await signedIn(panel, user),
      await signedIn(panel, user),
    ];
    expect((await here.call('DELETE', '/panel/sessions')).status).toBe(200);
    for (const other of others) expect((await other.get('/panel/session')).status).toBe(401);
    expect((await here.get('/panel/session')).status).toBe(200);
  });

  it('do not include the sessions of other users', async () => {
    const [user, other] = [await newSignedInUser(panel), await newSignedInUser(panel)];
    const { sessions } = (await other.get('/panel/sessions')).body;
    const { status } = await user.call('DELETE', `/panel/sessions/${sessions[0].id}`);
    expect(status).toBe(404);
    expect((await other.get('/panel/session')).status).toBe(200);
  });

  for (const id of ['0', '-1', 'abc', '1.5', '99999999999999999999']) {
    it(`cannot have the id ${id}`, async () => {
      const user = await newSignedInUser(panel);
      const { status, body } = await user.call('DELETE', `/panel/sessions/${id}`);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    });
  }
});

describe('POST /auth/change-password', () => {
  it('replaces the password', async () => {
    const user = await newSignedInUser(panel, 'viewer');
    const change = { current_password: user.password, new_password: newPassword() };
    const { status, body } = await user.post('/auth/change-password', change);
    expect([status, body]).toEqual([200, { success: true }]);
    expect((await signIn(panel, user)).status).toBe(401);
    const changed = { ...user, password: change.new_password };
    expect((await signIn(panel, changed)).status).toBe(200);
    expect((await listAuditRecords(panel, 'user', user.id)).at(-1)).toMatchObject({
      action: 'set_password',
      actor: String(user.id),
      context: { by: 'current_password', sessions_ended: 0 },
    });
  });

  it('ends the other sessions on request, and never the current one', async () => {
    const user = await newUser(panel);
    const [here, there] = [await signedIn(panel, user), await signedIn(panel, user)];
    const first = { current_password: user.password, new_password: newPassword() };
    await here.post('/auth/change-password', first);
    expect((await there.get('/panel/session')).status).toBe(200);
    await here.post('/auth/change-password', {
      current_password: first.new_password,
      new_password: newPassword(),
      end_other_sessions: true,
    });
    expect((await there.get('/panel/session')).status).toBe(401);
    expect((await here.get('/panel/session')).status).toBe(200);
  });

  it('voids an open password link', async () => {
    const user = await newSignedInUser(panel);
    const { url } = await panel.services.passwords.createLink(user.id, OPERATOR);
    const change = { current_password: user.password, new_password: newPassword() };
    await user.post('/auth/change-password', change);
    const { body } = await browser(panel).post('/panel/set-password', {
      token: url.split('#token=')[1],
      new_password: newPassword(),
    });
    expect(body.code).toBe('invalid_link');
  });

  it('returns 403 for a wrong current password, and 429 after ten of them', async () => {
    const user = await newSignedInUser(panel);
    const change = { current_password: 'a wrong password', new_password: newPassword() };
    for (let attempt = 0; attempt < 10; attempt++) {
      const { status, body } = await user.post('/auth/change-password', change);
      expect([status, body.code]).toEqual([403, 'wrong_password']);
    }
    const right = { ...change, current_password: user.password };
    expect((await user.post('/auth/change-password', right)).status).toBe(429);
    expect((await signIn(panel, user)).status).toBe(200);
    const refused = (await listAuditRecords(panel, 'user', user.id)).slice(1);
    expect(refused.map(({ action }) => action)).toEqual(Array(10).fill('refuse_password_change'));
  });

  it('accepts one of two concurrent changes', async () => {
    const user = await newSignedInUser(panel);
    const responses = await Promise.all(
      [newPassword(), newPassword()].map((new_password) =>
        user.post('/auth/change-password', { current_password: user.password, new_password }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  for (const [why, new_password, message] of [
    ['too short', 'eleven char', /at least 12/],
    ['too long', 'x'.repeat(129), /at most 128/],
    ['not a string', 123_456_789_012, /type string/],
  ] as const) {
    it(`returns 400 when the new password is ${why}`, async () => {
      const user = await newSignedInUser(panel);
      const change = { current_password: user.password, new_password };
      const { status, body } = await user.post('/auth/change-password', change);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.error).toMatch(message);
    });
  }
});
