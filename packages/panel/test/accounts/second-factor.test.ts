import { registerSecret } from '@steward/testkit/logs.ts';
import { authenticatorApp } from '@steward/testkit/panel/authenticator-app.ts';
import {
  browser,
  newPassword,
  newSignedInUser,
  type Person,
  sessionCookie,
  signIn,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

describe('the second factor', () => {
  const { panel } = usePanelWithOwner();

  const secondsLater = (seconds: number) => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + seconds * 1000);
  };
  /** Moves to the next period, because the current code has been used. */
  const nextCode = (app: ReturnType<typeof authenticatorApp>) => {
    secondsLater(30);
    return app.codeAt(panel.fakes.now);
  };

  async function createUserWithApp(role: 'owner' | 'manager' = 'owner') {
    const user = await newSignedInUser(panel, role);
    const { totp } = (await user.post('/panel/account/totp')).body;
    const app = authenticatorApp(totp.secret);
    const code = await app.codeAt(panel.fakes.now);
    const { body } = await user.post('/panel/account/totp/activate', { code });
    const codes: string[] = body.backup_codes;
    codes.forEach(registerSecret);
    return { user, app, codes };
  }

  /** Signs in with the password and keeps the cookie of the first step. */
  async function startSignIn(user: Person) {
    const response = await signIn(panel, user);
    const cookie = response.cookies[0]?.split(';', 1)[0] ?? '';
    const complete = (code: string) =>
      browser(panel, cookie).post('/auth/sign-in/second-factor', { code });
    return { response, cookie, complete };
  }

  const getFactors = async (user: Person) =>
    (await user.get('/panel/account/second-factors')).body.second_factors;

  describe('POST /panel/account/totp', () => {
    it('takes effect after a correct code, and then returns ten backup codes', async () => {
      const user = await newSignedInUser(panel);
      const { status, body } = await user.post('/panel/account/totp');
      expect([status, body.totp.uri]).toEqual([200, expect.stringContaining('otpauth://totp/')]);
      const app = authenticatorApp(body.totp.secret);
      expect(await getFactors(user)).toEqual({
        totp: false,
        backup_codes: 0,
        passkeys: [],
        required: false,
      });
      expect((await signIn(panel, user)).status).toBe(200);

      const wrong = await user.post('/panel/account/totp/activate', { code: '000000' });
      expect([wrong.status, wrong.body.code]).toEqual([403, 'wrong_code']);
      const code = await app.codeAt(panel.fakes.now);
      const done = await user.post('/panel/account/totp/activate', {
        code: `${code.slice(0, 3)} ${code.slice(3)}`,
      });
      expect(new Set(done.body.backup_codes).size).toBe(10);
      expect(await getFactors(user)).toEqual({
        totp: true,
        backup_codes: 10,
        passkeys: [],
        required: false,
      });
    });

    it('returns 409 while an authenticator app is active', async () => {
      const { user } = await createUserWithApp();
      const { status, body } = await user.post('/panel/account/totp');
      expect([status, body.code]).toEqual([409, 'second_factor_exists']);
    });

    it('needs a confirmation, as do the other changes, so a stolen session cannot change it', async () => {
      const { user } = await createUserWithApp();
      secondsLater(600);
      for (const [method, path, body] of [
        ['POST', '/panel/account/totp'],
        ['POST', '/panel/account/totp/activate', { code: '000000' }],
        ['POST', '/panel/account/backup-codes'],
        ['DELETE', '/panel/account/totp'],
      ] as const) {
        expect((await user.call(method, path, body)).body.code).toBe('confirmation_required');
      }
      expect(await getFactors(user)).toMatchObject({ totp: true });
    });

    it('stores the secret encrypted and the codes hashed, and does not log them', async () => {
      const { user, codes } = await createUserWithApp();
      const { rows } = await panel.pool.query(
        `SELECT t::text AS row FROM totp_secrets t UNION ALL SELECT b::text FROM backup_codes b
         UNION ALL SELECT a::text FROM audit_log a`,
      );
      const stored = JSON.stringify(rows);
      for (const code of codes) expect(stored).not.toContain(code);
      const records = await listAuditRecords(panel, 'user', user.id);
      expect(records.map(({ action }) => action)).toEqual(['create', 'begin_totp', 'add_totp']);
      expect(records.at(-1)?.context).toEqual({ via: 'panel' });
    });
  });

  describe('POST /auth/sign-in/email', () => {
    it('returns 401 two_factor_required for the correct password, and opens no session', async () => {
      const { user } = await createUserWithApp();
      const { response, cookie } = await startSignIn(user);
      expect([response.status, response.body.code]).toEqual([401, 'two_factor_required']);
      expect(response.body).toMatchObject({ methods: ['totp', 'backup_code'] });
      expect(response.body.csrf_token).toBeUndefined();
      expect(response.cookies).toHaveLength(1);
      expect(response.cookies[0]).toMatch(
        /^steward\.second_factor=[\w-]+; Max-Age=600; Path=\/auth; HttpOnly; SameSite=Strict$/,
      );
      expect((await browser(panel, cookie).get('/panel/session')).status).toBe(401);
      expect((await listAuditRecords(panel, 'sign_in', user.id)).at(-1)).toMatchObject({
        action: 'ask_second_factor',
        actor: 'system',
      });
    });

    it('does not reveal the second factor without the correct password', async () => {
      const { user } = await createUserWithApp();
      const { body } = await signIn(panel, { ...user, password: 'a wrong password' });
      expect(body.code).toBe('invalid_credentials');
    });
  });

  describe('POST /auth/sign-in/second-factor', () => {
    it('signs in with a one-time code, once', async () => {
      const { user, app } = await createUserWithApp();
      const { complete } = await startSignIn(user);
      const code = await nextCode(app);
      const { status, body, cookies } = await complete(code);
      expect([status, body.user.email]).toEqual([200, user.email]);
      const session = browser(panel, sessionCookie(cookies), body.csrf_token);
      expect((await session.get('/panel/session')).status).toBe(200);
      expect((await listAuditRecords(panel, 'sign_in', user.id)).at(-1)).toMatchObject({
        action: 'succeed',
        actor: String(user.id),
        context: { second_factor: 'totp' },
      });
      const replay = await startSignIn(user);
      expect((await replay.complete(code)).body.code).toBe('wrong_code');
      expect((await complete(await nextCode(app))).body.code).toBe('sign_in_expired');
    });

    it('accepts one of two concurrent requests with the same code', async () => {
      const { user, app } = await createUserWithApp();
      const [one, two] = [await startSignIn(user), await startSignIn(user)];
      const code = await nextCode(app);
      const responses = await Promise.all([one.complete(code), two.complete(code)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 403]);
    });

    it('signs in with a backup code, once, in upper case and without the dash', async () => {
      const { user, codes } = await createUserWithApp();
      const [first = ''] = codes;
      const typed = first.replace('-', '').toUpperCase();
      expect((await (await startSignIn(user)).complete(typed)).status).toBe(200);
      expect((await (await startSignIn(user)).complete(first)).body.code).toBe('wrong_code');
      expect(await getFactors(user)).toEqual({
        totp: true,
        backup_codes: 9,
        passkeys: [],
        required: false,
      });
    });

    it('refuses the codes of another user', async () => {
      const [{ user }, other] = [await createUserWithApp(), await createUserWithApp()];
      const { complete } = await startSignIn(user);
      expect((await complete(await nextCode(other.app))).body.code).toBe('wrong_code');
      expect((await complete(other.codes[0] ?? '')).body.code).toBe('wrong_code');
    });

    it('refuses all codes after ten wrong ones, even a correct one', async () => {
      const { user, app } = await createUserWithApp();
      for (let n = 0; n < 10; n++) {
        const { complete } = await startSignIn(user);
        expect((await complete('aaaaa-aaaaa')).status).toBe(403);
      }
      const { complete } = await startSignIn(user);
      expect((await complete(await nextCode(app))).body.code).toBe('rate_limited');
      expect((await listAuditRecords(panel, 'sign_in', 'code')).at(-1)).toMatchObject({
        action: 'throttle',
      });
      secondsLater(15 * 60);
      expect((await (await startSignIn(user)).complete(await nextCode(app))).status).toBe(200);
    });

    it('returns 401 without the first step, ten minutes after it, and after a new password', async () => {
      const { user, app } = await createUserWithApp();
      const without = await browser(panel).post('/auth/sign-in/second-factor', { code: '123456' });
      expect([without.status, without.body.code]).toEqual([401, 'sign_in_expired']);
      const late = await startSignIn(user);
      secondsLater(600);
      expect((await late.complete(await nextCode(app))).body.code).toBe('sign_in_expired');
      const stale = await startSignIn(user);
      await panel.services.passwords.set(user.id, newPassword(), OPERATOR);
      expect((await stale.complete(await nextCode(app))).body.code).toBe('sign_in_expired');
    });

    it('returns 403 for an account that was disabled after the first step', async () => {
      const { user, app } = await createUserWithApp('manager');
      const { complete } = await startSignIn(user);
      await panel.services.users.update(user.id, { disabled: true }, OPERATOR);
      const { status, body, cookies } = await complete(await nextCode(app));
      expect([status, body.code, sessionCookie(cookies)]).toEqual([403, 'account_disabled', '']);
    });
  });

  it('is required after a password link was used', async () => {
    const { user } = await createUserWithApp();
    const { url } = await panel.services.passwords.createLink(user.id, OPERATOR);
    const [token = '', password] = [url.split('#token=')[1], newPassword()];
    registerSecret(token);
    const set = await browser(panel).post('/panel/set-password', { token, new_password: password });
    expect([set.status, set.cookies]).toEqual([200, []]);
    const { body } = await signIn(panel, { ...user, password });
    expect(body.code).toBe('two_factor_required');
  });

  it('is required for a confirmation: the password alone is refused', async () => {
    const { user } = await createUserWithApp();
    const { status, body } = await user.post('/auth/confirm', { password: user.password });
    expect([status, body.code]).toEqual([403, 'second_factor_needed']);
  });

  it('confirms a session, and refuses the same code twice', async () => {
    const { user, app } = await createUserWithApp();
    secondsLater(600);
    const confirm = (code: string) => user.post('/auth/confirm', { code });
    expect((await confirm('123456')).body.code).toBe('wrong_code');
    expect((await listAuditRecords(panel, 'user', user.id)).at(-1)?.action).toBe('refuse_code');
    const code = await nextCode(app);
    expect((await confirm(code)).status).toBe(200);
    expect((await confirm(code)).body.code).toBe('wrong_code');
    expect((await user.post('/panel/account/backup-codes')).status).toBe(200);
  });

  it('gets new backup codes on request, and the old ones stop working', async () => {
    const { user, codes } = await createUserWithApp();
    const fresh: string[] = (await user.post('/panel/account/backup-codes')).body.backup_codes;
    fresh.forEach(registerSecret);
    expect((await (await startSignIn(user)).complete(codes[1] ?? '')).body.code).toBe('wrong_code');
    expect((await (await startSignIn(user)).complete(fresh[1] ?? '')).status).toBe(200);
  });

  it('is removed with its backup codes, and then the password is enough', async () => {
    const { user } = await createUserWithApp();
    expect((await user.call('DELETE', '/panel/account/totp')).status).toBe(200);
    expect(await getFactors(user)).toEqual({
      totp: false,
      backup_codes: 0,
      passkeys: [],
      required: false,
    });
    expect((await signIn(panel, user)).status).toBe(200);
    const again = await user.call('DELETE', '/panel/account/totp');
    expect([again.status, again.body.code]).toEqual([409, 'no_second_factor']);
    const codes = await user.post('/panel/account/backup-codes');
    expect(codes.body.code).toBe('no_second_factor');
  });

  it('is reset by the operator: removes app and codes, ends sessions, keeps the password', async () => {
    const { user, codes } = await createUserWithApp();
    const { complete } = await startSignIn(user);
    await panel.services.secondFactors.reset(user.id, OPERATOR);
    expect((await user.get('/panel/session')).status).toBe(401);
    expect((await complete(codes[0] ?? '')).body.code).toBe('wrong_code');
    expect((await signIn(panel, user)).status).toBe(200);
    expect((await listAuditRecords(panel, 'user', user.id)).at(-1)).toMatchObject({
      action: 'reset_second_factor',
      actor: 'system',
      context: {
        via: 'command_line',
        totp: true,
        passkeys: 0,
        backup_codes: 10,
        sessions_ended: 1,
      },
    });
  });
});
