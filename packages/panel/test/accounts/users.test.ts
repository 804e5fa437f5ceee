import { registerSecret } from '@steward/testkit/logs.ts';
import {
  browser,
  newEmail,
  newPassword,
  newSignedInUser,
  newUser,
  type Person,
  signedIn,
  signIn,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { createTestPanel, OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords, waitForLocks } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

const { panel, owner } = usePanelWithOwner();

function readToken(link: { url: string }): string {
  const token = link.url.split('#token=')[1] ?? '';
  registerSecret(token);
  return token;
}

describe('GET /panel/users', () => {
  it('lists all users without passwords', async () => {
    const before = await panel.services.users.list();
    const viewer = await newUser(panel, 'viewer');
    const { status, body } = await owner.get('/panel/users');
    expect(status).toBe(200);
    expect(body.users).toHaveLength(before.length + 1);
    expect(body.users.at(-1)).toEqual({
      id: viewer.id,
      name: viewer.email.split('@')[0],
      email: viewer.email,
      role: 'viewer',
      invited: false,
      disabled: false,
      second_factor: false,
      created_at: panel.fakes.now.toISOString(),
      last_sign_in_at: null,
    });
  });
});

describe('POST /panel/users', () => {
  it('adds a user, who chooses a password with a link', async () => {
    const email = newEmail();
    const { status, body } = await owner.post('/panel/users', {
      email: email.toUpperCase(),
      role: 'manager',
      name: ' Mia ',
    });
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ name: 'Mia', email, role: 'manager', disabled: false });
    expect(body.password_link).toEqual({
      url: expect.stringMatching(/^http:\/\/localhost:8080\/set-password#token=stwl_[\w-]{43}$/),
      expires_at: '2026-06-04T12:00:00.000Z',
    });

    const password = newPassword();
    const chosen = { token: readToken(body.password_link), new_password: password };
    expect((await browser(panel).post('/panel/set-password', chosen)).status).toBe(200);
    expect((await signIn(panel, { id: body.user.id, email, password })).status).toBe(200);
    expect(await listAuditRecords(panel, 'user', body.user.id)).toMatchObject([
      { action: 'create', actor: String(owner.id), context: { email, role: 'manager' } },
      { action: 'issue_password_link', actor: String(owner.id) },
      { action: 'set_password', actor: String(body.user.id), context: { by: 'invitation' } },
    ]);
  });

  it('returns 409 for the address of another user, also in upper case', async () => {
    const { email } = await newUser(panel);
    const taken = { email: email.toUpperCase(), role: 'viewer' };
    const { status, body } = await owner.post('/panel/users', taken);
    expect([status, body.code]).toEqual([409, 'email_taken']);
  });

  it('creates one user from concurrent requests with the same address', async () => {
    const input = { email: newEmail(), role: 'viewer' };
    const responses = await Promise.all([1, 2, 3].map(() => owner.post('/panel/users', input)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  for (const [why, input, message] of [
    ['no address', { role: 'viewer' }, /^email/],
    ['an address without a domain', { email: 'me@localhost', role: 'viewer' }, /^email/],
    ['an address with a name', { email: 'Me <me@example.com>', role: 'viewer' }, /^email/],
    ['two addresses', { email: 'a@b.example,c@d.example', role: 'viewer' }, /^email/],
    ['an address with a line break', { email: 'a@b.example\nBcc: x', role: 'viewer' }, /^email/],
    ['no role', { email: 'new@example.com' }, /^role/],
    ['an unknown role', { email: 'new@example.com', role: 'admin' }, /owner, manager, viewer/],
    ['a name with a line break', { email: 'n@b.example', role: 'viewer', name: 'a\nb' }, /^name/],
    ['a name that is not a string', { email: 'n@b.example', role: 'viewer', name: 5 }, /^name/],
  ] as const) {
    it(`returns 400 for ${why}`, async () => {
      const before = await panel.services.users.list();
      const { status, body } = await owner.post('/panel/users', input);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.error).toMatch(message);
      expect(await panel.services.users.list()).toEqual(before);
    });
  }
});

describe('PATCH /panel/users/:id', () => {
  const change = (id: number | string, body: unknown, by: Pick<Person, 'call'> = owner) =>
    by.call('PATCH', `/panel/users/${id}`, body);

  it('renames, changes the role, disables and enables, each with an audit record', async () => {
    const { id } = await newUser(panel, 'viewer');
    expect((await change(id, { name: 'New Name' })).body.user.name).toBe('New Name');
    expect((await change(id, { role: 'manager' })).body.user.role).toBe('manager');
    expect((await change(id, { disabled: true })).body.user.disabled).toBe(true);
    expect((await change(id, { disabled: false })).body.user.disabled).toBe(false);
    const unchanged = { name: 'New Name', role: 'manager', disabled: false };
    expect((await change(id, unchanged)).body.user).toMatchObject(unchanged);
    expect((await change(id, {})).status).toBe(200);
    const records = (await listAuditRecords(panel, 'user', id)).slice(1);
    expect(records.map(({ action }) => action)).toEqual(['update', 'update', 'disable', 'enable']);
    expect(records[1]).toMatchObject({
      actor: String(owner.id),
      context: { role: { from: 'viewer', to: 'manager' } },
    });
  });

  it('voids the password link of a disabled user', async () => {
    const { id } = await newUser(panel, 'viewer');
    const token = readToken(await panel.services.passwords.createLink(id, OPERATOR));
    await change(id, { disabled: true });
    await change(id, { disabled: false });
    const response = await browser(panel).post('/panel/set-password', {
      token,
      new_password: newPassword(),
    });
    expect(response.body.code).toBe('invalid_link');
  });

  it('returns 404 for an unknown user and 400 for an invalid id', async () => {
    const gone = await change(999_999, { name: 'Nobody' });
    expect([gone.status, gone.body.code]).toEqual([404, 'not_found']);
    for (const id of ['abc', '0', '-1', '1e3', '99999999999999999']) {
      expect((await change(id, { name: 'Nobody' })).status).toBe(400);
    }
  });

  for (const body of [{ role: 'admin' }, { disabled: 'yes' }, { name: '' }, [], 'text']) {
    it(`returns 400 for ${JSON.stringify(body)}`, async () => {
      const { id } = await newUser(panel, 'viewer');
      const response = await owner.call('PATCH', `/panel/users/${id}`, JSON.stringify(body), {
        headers: { 'content-type': 'application/json' },
      });
      expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
    });
  }
});

describe('the last owner', () => {
  async function panelWithOwners(count: number) {
    const panel = await createTestPanel();
    const owners = [];
    for (let n = 0; n < count; n++) owners.push(await newSignedInUser(panel, 'owner'));
    return { panel, owners };
  }

  it('cannot be disabled or demoted, but can be renamed', async () => {
    const { panel, owners } = await panelWithOwners(1);
    const [owner] = owners as [Person];
    await newUser(panel, 'manager');
    const disabled = await newUser(panel, 'owner');
    await panel.services.users.update(disabled.id, { disabled: true }, OPERATOR);
    for (const body of [{ disabled: true }, { role: 'viewer' }, { role: 'manager', name: 'X' }]) {
      const response = await owner.call('PATCH', `/panel/users/${owner.id}`, body);
      expect([response.status, response.body.code]).toEqual([409, 'last_owner']);
    }
    const renamed = await owner.call('PATCH', `/panel/users/${owner.id}`, { name: 'Still here' });
    expect(renamed.body.user).toMatchObject({ name: 'Still here', role: 'owner' });
    await panel.close();
  });

  it('remains when two owners demote each other concurrently', async () => {
    const { panel, owners } = await panelWithOwners(2);
    const [a, b] = owners as [Person, Person];
    const holder = await panel.pool.connect();
    await holder.query('BEGIN; SELECT 1 FROM users FOR UPDATE');
    const both = Promise.all([
      a.call('PATCH', `/panel/users/${b.id}`, { role: 'viewer' }),
      b.call('PATCH', `/panel/users/${a.id}`, { disabled: true }),
    ]);
    await waitForLocks(panel, 2);
    await holder.query('COMMIT');
    holder.release();
    expect((await both).map(({ status }) => status).sort()).toEqual([200, 409]);
    const left = (await panel.services.users.list()).filter(
      ({ role, disabled }) => role === 'owner' && !disabled,
    );
    expect(left).toHaveLength(1);
    await panel.close();
  });
});

describe('POST /panel/users/:id/reset-password', () => {
  const reset = (id: number) => owner.post(`/panel/users/${id}/reset-password`);
  const choose = (token: string, new_password = newPassword()) =>
    browser(panel).post('/panel/set-password', { token, new_password });

  it('returns a link, and the current password works until the link is used', async () => {
    const user = await newUser(panel, 'viewer');
    const { status, body } = await reset(user.id);
    expect([status, body.password_link.url]).toEqual([200, expect.stringContaining('#token=')]);
    readToken(body.password_link);
    expect((await signIn(panel, user)).status).toBe(200);
  });

  it('returns a link that sets the password once and ends all sessions', async () => {
    const user = await newUser(panel, 'viewer');
    const session = await signedIn(panel, user);
    const token = readToken((await reset(user.id)).body.password_link);
    const password = newPassword();
    expect((await choose(token, password)).status).toBe(200);
    expect((await session.get('/panel/session')).status).toBe(401);
    expect((await signIn(panel, user)).status).toBe(401);
    expect((await signIn(panel, { ...user, password })).status).toBe(200);
    const again = await choose(token);
    expect([again.status, again.body.code]).toEqual([403, 'invalid_link']);
    expect((await signIn(panel, { ...user, password })).status).toBe(200);
  });

  it('voids the previous link', async () => {
    const user = await newUser(panel, 'viewer');
    const first = readToken((await reset(user.id)).body.password_link);
    const second = readToken((await reset(user.id)).body.password_link);
    expect((await choose(first)).body.code).toBe('invalid_link');
    expect((await choose(second)).status).toBe(200);
  });

  it('returns a link that expires after three days', async () => {
    const user = await newUser(panel, 'viewer');
    const token = readToken((await reset(user.id)).body.password_link);
    const now = panel.fakes.now;
    panel.fakes.now = new Date(now.getTime() + 3 * 24 * 60 * 60 * 1000);
    expect((await choose(token)).body.code).toBe('invalid_link');
    panel.fakes.now = now;
  });

  it('accepts one of two concurrent requests with the same link', async () => {
    const user = await newUser(panel, 'viewer');
    const token = readToken((await reset(user.id)).body.password_link);
    const responses = await Promise.all([choose(token), choose(token)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  it('refuses a setup link as a password link', async () => {
    const fresh = await createTestPanel();
    const link = await fresh.services.setup.start(OPERATOR);
    const new_password = newPassword();
    const token = readToken({ url: link?.url ?? '' });
    const response = await browser(fresh).post('/panel/set-password', { token, new_password });
    expect(response.body.code).toBe('invalid_link');
    await fresh.close();
  });

  it('returns 403 for the account of the caller, with the next step', async () => {
    const { status, body } = await reset(owner.id);
    expect([status, body.code]).toEqual([403, 'own_password_link']);
    expect(body.error).toContain('account page');
    const { url } = await panel.services.passwords.createLink(owner.id, OPERATOR);
    expect(url).toContain('#token=');
    readToken({ url });
  });

  it('returns 403 for a disabled user and 404 for an unknown user', async () => {
    const user = await newUser(panel, 'viewer');
    await panel.services.users.update(user.id, { disabled: true }, OPERATOR);
    expect((await reset(user.id)).body.code).toBe('account_disabled');
    expect((await reset(999_999)).status).toBe(404);
  });

  for (const [why, body] of [
    ['a short password', { token: 'x', new_password: 'short' }],
    ['no token', { new_password: 'long enough to be one' }],
    ['a token that is not a string', { token: { $gt: '' }, new_password: 'long enough to be one' }],
  ] as const) {
    it(`POST /panel/set-password returns 400 for ${why}`, async () => {
      const response = await browser(panel).post('/panel/set-password', body);
      expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
    });
  }
});
