import { passkeyDevice } from '@steward/testkit/panel/passkey-device.ts';
import {
  browser,
  newSignedInUser,
  type Person,
  sessionCookie,
  signedIn,
  signIn,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { createTestPanel, OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

const ORIGIN = 'http://localhost:8080';

describe('passkeys', () => {
  const { panel } = usePanelWithOwner();

  const minutesLater = (minutes: number) => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + minutes * 60_000);
  };
  const registrationOptions = async (user: Person) =>
    (await user.post('/panel/account/passkeys/options')).body.options;

  async function createUserWithPasskey(role: 'owner' | 'manager' = 'owner') {
    const user = await newSignedInUser(panel, role);
    const device = passkeyDevice(ORIGIN);
    const response = device.create(await registrationOptions(user));
    const { body } = await user.post('/panel/account/passkeys', { name: ' Laptop ', response });
    return { user, device, passkey: body.passkey };
  }
  type Device = ReturnType<typeof passkeyDevice>;

  const signInOptions = async () =>
    (await browser(panel).post('/auth/passkey/options')).body.options;
  const signInWith = (passkey: ReturnType<Device['get']>) =>
    browser(panel).post('/auth/sign-in/passkey', { passkey });

  describe('POST /panel/account/passkeys', () => {
    it('adds a passkey with its name, requires user verification, and records it', async () => {
      const user = await newSignedInUser(panel);
      const options = await registrationOptions(user);
      expect(options).toMatchObject({
        rp: { id: 'localhost', name: 'Steward' },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
      });
      const response = passkeyDevice(ORIGIN).create(options);
      const added = await user.post('/panel/account/passkeys', { name: 'Laptop', response });
      expect([added.status, added.body.passkey]).toMatchObject([
        200,
        { name: 'Laptop', last_used_at: null },
      ]);
      const { body } = await user.get('/panel/account/second-factors');
      expect(body.second_factors).toMatchObject({ totp: false, passkeys: [added.body.passkey] });
      expect((await listAuditRecords(panel, 'user', user.id)).at(-1)).toMatchObject({
        action: 'add_passkey',
        context: { passkey: 'Laptop' },
      });
      const again = await user.post('/panel/account/passkeys', { name: 'Copy', response });
      expect([again.status, again.body.code]).toEqual([403, 'passkey_rejected']);
    });

    it('returns 403 for the challenge of another session and for another origin', async () => {
      const [user, other] = [await newSignedInUser(panel), await newSignedInUser(panel)];
      const stolen = passkeyDevice(ORIGIN).create(await registrationOptions(other));
      const elsewhere = passkeyDevice('https://evil.example.com').create(
        await registrationOptions(user),
      );
      for (const response of [stolen, elsewhere]) {
        const { body } = await user.post('/panel/account/passkeys', { name: 'x', response });
        expect(body.code).toBe('passkey_rejected');
      }
    });

    it('needs a confirmation, so a stolen session cannot add a passkey', async () => {
      const { user, passkey } = await createUserWithPasskey();
      minutesLater(10);
      const { id } = passkey;
      for (const [method, path] of [
        ['POST', '/panel/account/passkeys/options'],
        ['POST', '/panel/account/passkeys'],
        ['DELETE', `/panel/account/passkeys/${id}`],
      ] as const) {
        expect((await user.call(method, path)).body.code).toBe('confirmation_required');
      }
    });
  });

  describe('POST /auth/sign-in/passkey', () => {
    it('signs in without a password, and counts as a confirmation', async () => {
      const { user, device } = await createUserWithPasskey();
      const { status, body, cookies } = await signInWith(device.get(await signInOptions()));
      expect([status, body.user?.email]).toEqual([200, user.email]);
      const session = browser(panel, sessionCookie(cookies), body.csrf_token);
      expect((await session.post('/panel/account/passkeys/options')).status).toBe(200);
      expect((await listAuditRecords(panel, 'sign_in', user.id)).at(-1)).toMatchObject({
        action: 'succeed',
        context: { second_factor: 'passkey' },
      });
    });

    it('refuses the same assertion twice', async () => {
      const { device } = await createUserWithPasskey();
      const assertion = device.get(await signInOptions());
      expect((await signInWith(assertion)).status).toBe(200);
      expect((await signInWith(assertion)).body.code).toBe('passkey_rejected');
    });

    it('returns 403 for an invalid assertion, without the reason', async () => {
      const { user, device } = await createUserWithPasskey();
      const options = await signInOptions();
      const confirmation = (await user.post('/auth/confirm/passkey-options')).body.options;
      for (const [why, assertion] of [
        ['an unknown passkey', passkeyDevice(ORIGIN).get(options)],
        ['the origin of another site', device.get(options, { origin: 'https://evil.example' })],
        ['a device without user verification', device.get(options, { isUserVerified: false })],
        ['another panel', device.get({ ...options, rpId: 'other.example.com' })],
        ['an unknown challenge', device.get({ ...options, challenge: 'bWFkZS11cA' })],
        ['a challenge for another purpose', device.get(confirmation)],
      ] as const) {
        const { status, body, cookies } = await signInWith(assertion);
        expect([why, status, body.code, cookies]).toEqual([why, 403, 'passkey_rejected', []]);
      }
      const late = device.get(await signInOptions());
      minutesLater(5);
      expect((await signInWith(late)).body.code).toBe('passkey_rejected');
      expect((await listAuditRecords(panel, 'sign_in', 'unknown')).at(-1)).toMatchObject({
        action: 'fail',
        context: { reason: 'wrong_passkey' },
      });
    });

    it('returns 403 for a disabled user', async () => {
      const { user, device } = await createUserWithPasskey('manager');
      await panel.services.users.update(user.id, { disabled: true }, OPERATOR);
      const { body } = await signInWith(device.get(await signInOptions()));
      expect(body.code).toBe('account_disabled');
    });
  });

  it('are a second factor: the password alone no longer signs in', async () => {
    const { user } = await createUserWithPasskey();
    const { status, body } = await signIn(panel, user);
    expect([status, body.code, body.methods]).toEqual([401, 'two_factor_required', ['passkey']]);
    expect((await user.post('/panel/account/backup-codes')).body.backup_codes).toHaveLength(10);
    expect((await signIn(panel, user)).body.methods).toEqual(['backup_code', 'passkey']);
  });

  it('confirm only the session that requested the challenge', async () => {
    const { user, device } = await createUserWithPasskey();
    const { body, cookies } = await signInWith(device.get(await signInOptions()));
    const other = browser(panel, sessionCookie(cookies), body.csrf_token);
    minutesLater(10);
    const { options } = (await user.post('/auth/confirm/passkey-options')).body;
    expect(options.allowCredentials).toMatchObject([{ id: device.id }]);
    const assertion = device.get(options);
    const elsewhere = await other.post('/auth/confirm', { passkey: assertion });
    expect(elsewhere.body.code).toBe('passkey_rejected');
    expect((await user.post('/auth/confirm', { passkey: assertion })).status).toBe(200);
    expect((await user.post('/panel/account/backup-codes')).status).toBe(200);
    expect((await other.post('/panel/account/backup-codes')).status).toBe(403);
  });

  it('can be renamed and removed with an audit record, and return 404 to other users', async () => {
    const { user, passkey } = await createUserWithPasskey();
    const stranger = await newSignedInUser(panel);
    const path = `/panel/account/passkeys/${passkey.id}`;
    expect((await stranger.patch(path, { name: 'Mine' })).status).toBe(404);
    expect((await stranger.call('DELETE', path)).status).toBe(404);
    expect((await user.patch(path, { name: 'Desk' })).body.passkey.name).toBe('Desk');
    expect((await user.call('DELETE', path)).status).toBe(200);
    const actions = (await listAuditRecords(panel, 'user', user.id)).map(({ action }) => action);
    expect(actions.slice(-2)).toEqual(['rename_passkey', 'remove_passkey']);
    expect((await signedIn(panel, user)).cookie).not.toBe('');
  });

  for (const baseUrl of ['http://192.0.2.7:8080', 'http://panel.example.com']) {
    it(`return 409 at an address without passkey support: ${baseUrl}`, async () => {
      const elsewhere = await createTestPanel({ baseUrl });
      const { status, body } = await browser(elsewhere).post('/auth/passkey/options');
      expect([status, body.code]).toEqual([409, 'passkeys_unavailable']);
      await elsewhere.close();
    });
  }
});
