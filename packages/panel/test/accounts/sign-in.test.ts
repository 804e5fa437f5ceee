import { createHook } from 'node:async_hooks';
import {
  browser,
  newEmail,
  newPassword,
  newUser,
  sessionCookie,
  signIn,
} from '@steward/testkit/panel/signed-in-user.ts';
import { createTestPanel, OPERATOR, useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords, waitForLocks } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';
import { passwordHashing } from '../../src/features/accounts/passwords.ts';

const REFUSED = {
  success: false,
  error: expect.any(String),
  code: 'invalid_credentials',
  request_id: expect.any(String),
};

describe('POST /auth/sign-in/email', () => {
  const panel = useTestPanel();
  const listSessions = async (userId: number) =>
    (await panel.pool.query('SELECT * FROM sessions WHERE user_id = $1', [userId])).rows;

  describe('200', () => {
    it('returns the user and a CSRF token, and opens a session', async () => {
      const user = await newUser(panel, 'manager');
      const { status, body, cookies, headers } = await signIn(panel, user);
      expect(status).toBe(200);
      expect(body).toEqual({
        success: true,
        user: { id: user.id, name: expect.any(String), email: user.email, role: 'manager' },
        csrf_token: expect.any(String),
      });
      expect(headers['cache-control']).toBe('no-store');
      const me = await browser(panel, sessionCookie(cookies)).get('/panel/session');
      expect([me.status, me.body]).toEqual([200, body]);
    });

    it('sets an HttpOnly cookie with SameSite', async () => {
      const { cookies } = await signIn(panel, await newUser(panel));
      expect(cookies).toHaveLength(2);
      expect(cookies[0]).toMatch(/^steward\.session_token=/);
      const flags = cookies[0]?.split('; ').slice(1);
      expect(flags).toEqual(['Max-Age=604800', 'Path=/', 'HttpOnly', 'SameSite=Lax']);
    });

    it('sets a Secure cookie when the base URL is https', async () => {
      const secure = await createTestPanel({ baseUrl: 'https://panel.example.com' });
      const { cookies } = await signIn(secure, await newUser(secure));
      expect(cookies[0]).toMatch(/^__Secure-steward\.session_token=.*; Secure/);
      const me = await browser(secure, sessionCookie(cookies)).get('/panel/session');
      expect(me.status).toBe(200);
      await secure.close();
    });

    it('accepts the address in upper case and with spaces around it', async () => {
      const user = await newUser(panel);
      const email = ` ${user.email.toUpperCase()} `;
      expect((await signIn(panel, { ...user, email })).status).toBe(200);
    });

    it('writes an audit record and stores the time', async () => {
      const user = await newUser(panel);
      await signIn(panel, user, { headers: { 'user-agent': 'Browser/1.0' } });
      expect(await listAuditRecords(panel, 'sign_in', user.id)).toMatchObject([
        {
          action: 'succeed',
          actor: String(user.id),
          ip: '127.0.0.1',
          request_id: expect.any(String),
          context: { via: 'panel', session_id: expect.any(Number) },
        },
      ]);
      const listed = await panel.services.users.findByEmail(user.email);
      expect(listed.last_sign_in_at).toBe(panel.fakes.now.toISOString());
    });

    it('opens no session when the audit record cannot be written', async () => {
      const user = await newUser(panel);
      await panel.executeAsTableOwner(
        `ALTER TABLE audit_log ADD CONSTRAINT full_up CHECK (action <> 'succeed') NOT VALID`,
      );
      const { status, cookies } = await signIn(panel, user);
      await panel.executeAsTableOwner('ALTER TABLE audit_log DROP CONSTRAINT full_up');
      expect([status, cookies]).toEqual([500, []]);
      expect(await listSessions(user.id)).toEqual([]);
    });

    it('deletes expired sessions', async () => {
      const user = await newUser(panel);
      await signIn(panel, user);
      panel.fakes.now = new Date(panel.fakes.now.getTime() + 8 * 24 * 60 * 60 * 1000);
      await signIn(panel, user);
      expect(await listSessions(user.id)).toHaveLength(1);
    });

    for (const email of ["o'brien+tag@mail.example.co.uk", 'a_b-c.d@x-y.example.org']) {
      it(`accepts the address ${email}`, async () => {
        const password = newPassword();
        const { id } = await panel.services.users.create(
          { email, role: 'viewer', password },
          OPERATOR,
        );
        expect((await signIn(panel, { id, email, password })).status).toBe(200);
      });
    }
  });

  describe('401', () => {
    it('refuses a wrong password, an unknown and an invalid address with the same response', async () => {
      const user = await newUser(panel);
      const attempts = [
        { ...user, password: 'a wrong password' },
        { ...user, email: newEmail() },
        { ...user, email: 'no address' },
        { ...user, email: `${user.email}'` },
        { ...user, password: 'x' },
      ];
      for (const each of attempts) {
        const { status, body, cookies } = await signIn(panel, each);
        expect([status, cookies]).toEqual([401, []]);
        expect(body).toEqual({ ...REFUSED, error: expect.stringContaining('is wrong') });
      }
      expect(await listSessions(user.id)).toEqual([]);
    });

    it('refuses an invited user without a password', async () => {
      const email = newEmail();
      const { user } = await panel.services.users.invite({ email, role: 'viewer' }, OPERATOR);
      expect((await signIn(panel, { id: user.id, email, password: '' })).status).toBe(400);
      expect((await signIn(panel, { id: user.id, email, password: 'null' })).body).toEqual(REFUSED);
    });

    it('writes an audit record without the submitted input', async () => {
      const user = await newUser(panel);
      await signIn(panel, { ...user, password: 'typed-by-mistake' });
      expect(await listAuditRecords(panel, 'sign_in', user.id)).toMatchObject([
        { action: 'fail', actor: 'system', context: { reason: 'wrong_password' } },
      ]);
      await signIn(panel, { ...user, email: 'typed-by-mistake@example.com' });
      const unknown = await listAuditRecords(panel, 'sign_in', 'unknown');
      expect(unknown.at(-1)).toMatchObject({ action: 'fail', context: { reason: 'unknown_user' } });
      const { rows } = await panel.pool.query('SELECT a::text AS record FROM audit_log a');
      expect(JSON.stringify(rows)).not.toContain('typed-by-mistake');
    });

    it('refuses a password that is reset during the check', async () => {
      const user = await newUser(panel);
      const holder = await panel.pool.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [user.id]);
      const late = signIn(panel, user);
      await waitForLocks(panel, 1);
      await holder.query(`UPDATE user_credentials SET password = 'x:y' WHERE user_id = $1`, [
        user.id,
      ]);
      await holder.query('COMMIT');
      holder.release();
      expect((await late).body).toEqual(REFUSED);
      expect(await listSessions(user.id)).toEqual([]);
    });
  });

  describe('403', () => {
    it('reports a disabled account only for the correct password', async () => {
      const user = await newUser(panel, 'viewer');
      await panel.services.users.update(user.id, { disabled: true }, OPERATOR);
      const known = await signIn(panel, user);
      expect([known.status, known.body.code, known.cookies]).toEqual([403, 'account_disabled', []]);
      expect((await listAuditRecords(panel, 'sign_in', user.id)).at(-1)).toMatchObject({
        action: 'fail',
        context: { reason: 'disabled' },
      });
      const guessed = await signIn(panel, { ...user, password: 'a wrong password' });
      expect(guessed.body).toEqual(REFUSED);
      expect(await listSessions(user.id)).toEqual([]);
      await panel.services.users.update(user.id, { disabled: false }, OPERATOR);
      expect((await signIn(panel, user)).status).toBe(200);
    });

    it('refuses an account that is disabled during the check', async () => {
      const user = await newUser(panel, 'viewer');
      const holder = await panel.pool.connect();
      await holder.query('BEGIN');
      await holder.query('UPDATE users SET disabled_at = now() WHERE id = $1', [user.id]);
      await holder.query('DELETE FROM sessions WHERE user_id = $1', [user.id]);
      const late = signIn(panel, user);
      await waitForLocks(panel, 1);
      await holder.query('COMMIT');
      holder.release();
      expect((await late).body.code).toBe('account_disabled');
      expect(await listSessions(user.id)).toEqual([]);
    });

    for (const [what, headers] of [
      ['another origin', { origin: 'https://evil.example' }],
      ['another port', { origin: 'http://localhost:1234', host: 'localhost:8080' }],
      ['a page without an origin', { origin: 'null' }],
      ['a cross-site page', { 'sec-fetch-site': 'cross-site' }],
      ['another site of the same domain', { 'sec-fetch-site': 'same-site' }],
    ] as const) {
      it(`refuses a call from ${what}`, async () => {
        const user = await newUser(panel);
        const { status, body, cookies } = await signIn(panel, user, { headers });
        expect([status, body.code, cookies]).toEqual([403, 'cross_site_request', []]);
        expect(await listSessions(user.id)).toEqual([]);
      });
    }
  });

  describe('200 for a call of the same origin', () => {
    for (const headers of [
      { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' },
      { origin: 'https://panel.internal', host: 'panel.internal' },
      {},
    ]) {
      it(`accepts a call with ${JSON.stringify(headers)}`, async () => {
        expect((await signIn(panel, await newUser(panel), { headers })).status).toBe(200);
      });
    }
  });

  describe('400', () => {
    for (const [why, payload] of [
      ['no password', { email: 'a@example.com' }],
      ['no address', { password: 'x' }],
      ['an address that is not a string', { email: ['a@example.com'], password: 'x' }],
      ['a password that is not a string', { email: 'a@example.com', password: { $ne: 1 } }],
      ['a password of 2,000 characters', { email: 'a@b.example', password: 'x'.repeat(2000) }],
    ] as const) {
      it(`refuses ${why}`, async () => {
        const { status, body } = await browser(panel).post('/auth/sign-in/email', payload);
        expect([status, body.code]).toEqual([400, 'invalid_request']);
      });
    }

    it('refuses content types that a cross-site form can send', async () => {
      for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
        const { status, body } = await browser(panel).post(
          '/auth/sign-in/email',
          'email=a%40example.com&password=x',
          { headers: { 'content-type': type } },
        );
        expect([status, body.code]).toEqual([400, 'invalid_request']);
      }
    });
  });
});

describe('POST /auth/sign-in/email, with the production password hashing', () => {
  const panel = useTestPanel({}, { hashing: passwordHashing });

  it('computes one hash for an unknown address and for a wrong password', async () => {
    const user = await newUser(panel);
    const hashesFor = async (credentials: typeof user) => {
      let hashes = 0;
      const hook = createHook({
        init(_id, type) {
          if (type === 'SCRYPTREQUEST') hashes++;
        },
      }).enable();
      await signIn(panel, credentials);
      hook.disable();
      return hashes;
    };
    expect(await hashesFor({ ...user, password: 'a wrong password' })).toBe(1);
    expect(await hashesFor({ ...user, email: newEmail() })).toBe(1);
  });

  it('accepts only the correct password', async () => {
    const user = await newUser(panel);
    expect((await signIn(panel, user)).status).toBe(200);
    expect((await signIn(panel, { ...user, password: 'a wrong password' })).body).toEqual(REFUSED);
  });
});
