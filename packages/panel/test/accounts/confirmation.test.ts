import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import {
  newEmail,
  newPassword,
  newSignedInUser,
  newUser,
  type Person,
  signedIn,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { beforeEach, describe, expect, it } from 'vitest';

describe('actions that need a confirmation', () => {
  const { panel } = usePanelWithOwner();
  let owner: Person;

  const minutesLater = (minutes: number) => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + minutes * 60_000);
  };
  const confirm = (user: Person, password = user.password) =>
    user.post('/auth/confirm', { password });

  beforeEach(async () => {
    owner = await newSignedInUser(panel, 'owner');
  });

  async function listGuardedActions() {
    const license = await newLicenseWithSites(panel);
    const site = await license.addSite();
    const { id } = await newUser(panel, 'viewer');
    await panel.services.siteAccess.grant(id, { siteId: site.id }, OPERATOR);
    const url = `/panel/licenses/${license.id}`;
    const [code] = await panel.services.enrolmentCodes.create(license.id, 1, OPERATOR);
    return [
      ['suspends a license', () => owner.post(`${url}/suspend`)],
      ['resumes a license', () => owner.post(`${url}/resume`)],
      ['extends a license', () => owner.post(`${url}/extend`, { expires_at: '2030-01-01' })],
      ['changes a site limit', () => owner.post(`${url}/set-limit`, { site_limit: 9 })],
      ['disconnects a site', () => owner.post(`${url}/sites/${site.id}/release`)],
      ['revokes a code', () => owner.call('DELETE', `/panel/enrolment-codes/${code?.id}`)],
      [
        'revokes access',
        () => owner.post(`/panel/users/${id}/access/revoke`, { site_ids: [site.id] }),
      ],
      [
        'revokes access to a site',
        () => owner.call('DELETE', `/panel/users/${id}/access/sites/${site.id}`),
      ],
      ['reveals a key', () => owner.post(`/panel/licenses/${license.id}/reveal-key`)],
      ['creates a password link', () => owner.post(`/panel/users/${id}/reset-password`)],
      ['adds a user', () => owner.post('/panel/users', { email: newEmail(), role: 'owner' })],
      ['changes a role', () => owner.patch(`/panel/users/${id}`, { role: 'owner' })],
      ['revokes a license', () => owner.post(`/panel/licenses/${license.id}/revoke`)],
    ] as const;
  }

  it('return 403 ten minutes after the sign-in, and 200 after the password', async () => {
    minutesLater(10);
    for (const [action, act] of await listGuardedActions()) {
      const { status, body } = await act();
      expect([action, status, body.code]).toEqual([action, 403, 'confirmation_required']);
    }
    expect((await confirm(owner)).body).toEqual({ success: true });
    for (const [action, act] of await listGuardedActions())
      expect([action, (await act()).status]).toEqual([action, 200]);
  });

  it('need no confirmation within ten minutes after a sign-in or a confirmation', async () => {
    minutesLater(9);
    for (const [action, act] of await listGuardedActions())
      expect([action, (await act()).status]).toEqual([action, 200]);
    await confirm(owner);
    minutesLater(9);
    for (const [action, act] of await listGuardedActions())
      expect([action, (await act()).status]).toEqual([action, 200]);
  });

  it('do not include reads or a new name', async () => {
    minutesLater(10);
    expect((await owner.get('/panel/licenses')).status).toBe(200);
    const { id } = await newUser(panel, 'viewer');
    expect((await owner.patch(`/panel/users/${id}`, { name: 'Another' })).status).toBe(200);
  });

  it('need a confirmation in each session of the same user', async () => {
    const other = await signedIn(panel, owner);
    minutesLater(10);
    await confirm(owner);
    const { id } = await panel.license();
    expect((await owner.post(`/panel/licenses/${id}/reveal-key`)).status).toBe(200);
    const response = await other.post(`/panel/licenses/${id}/reveal-key`);
    expect(response.body.code).toBe('confirmation_required');
  });

  it('need a confirmation in a session that was never confirmed', async () => {
    await panel.pool.query('UPDATE sessions SET confirmed_at = NULL');
    const { id } = await panel.license();
    const response = await owner.post(`/panel/licenses/${id}/reveal-key`);
    expect(response.body.code).toBe('confirmation_required');
  });

  describe('POST /auth/confirm', () => {
    it('is recorded', async () => {
      await confirm(owner);
      const [session] = (await owner.get('/panel/sessions')).body.sessions;
      expect((await listAuditRecords(panel, 'session', session.id)).at(-1)).toMatchObject({
        action: 'confirm',
        actor: String(owner.id),
        context: { by: 'password' },
      });
    });

    it('returns 403 for a wrong password, records it and counts it', async () => {
      minutesLater(10);
      const { status, body } = await confirm(owner, newPassword());
      expect([status, body.code]).toEqual([403, 'wrong_password']);
      expect((await listAuditRecords(panel, 'user', owner.id)).at(-1)).toMatchObject({
        action: 'refuse_password',
        actor: String(owner.id),
      });
      for (let n = 0; n < 9; n++) await confirm(owner, 'wrong');
      expect((await confirm(owner)).body.code).toBe('rate_limited');
      const { id } = await panel.license();
      const reveal = await owner.post(`/panel/licenses/${id}/reveal-key`);
      expect(reveal.body.code).toBe('confirmation_required');
    });

    it('returns 400 without a proof, and with two', async () => {
      for (const proof of [{}, { password: owner.password, code: '123456' }]) {
        const { status, body } = await owner.post('/auth/confirm', proof);
        expect([status, body.error]).toEqual([
          400,
          'Send exactly one of password, code or passkey.',
        ]);
      }
    });
  });

  it('do not let a stolen owner session gain permanent access: no link, no new owner, no key', async () => {
    const { id } = await panel.license();
    minutesLater(10);
    const users = await panel.services.users.list();
    for (const attempt of [
      owner.post(`/panel/users/${owner.id}/reset-password`),
      owner.post(`/panel/users/${users[0]?.id}/reset-password`),
      owner.post('/panel/users', { email: newEmail(), role: 'owner' }),
      owner.post(`/panel/licenses/${id}/reveal-key`),
      owner.post('/auth/change-password', {
        current_password: 'a guess of mine',
        new_password: newPassword(),
      }),
    ]) {
      expect((await attempt).status).toBe(403);
    }
    expect(await panel.services.users.list()).toEqual(users);
    // Even after a confirmation, owners cannot create a password link for their own account.
    await confirm(owner);
    const link = await owner.post(`/panel/users/${owner.id}/reset-password`);
    expect([link.status, link.body.code]).toEqual([403, 'own_password_link']);
  });
});
