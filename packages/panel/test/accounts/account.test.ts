import { registerSecret } from '@steward/testkit/logs.ts';
import {
  browser,
  newEmail,
  newPassword,
  newSignedInUser,
  newUser,
  type Person,
  signIn,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

describe('PATCH /panel/account', () => {
  const { panel, owner } = usePanelWithOwner();
  const change = (user: Person, body: unknown) => user.call('PATCH', '/panel/account', body);
  const expireConfirmation = () => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 10 * 60_000);
  };

  it('changes the name and the address, in lower case, with audit records', async () => {
    const user = await newSignedInUser(panel, 'viewer');
    const email = newEmail();
    expect((await change(user, { name: ' Vera ' })).body.user).toEqual({
      id: user.id,
      name: 'Vera',
      email: user.email,
      role: 'viewer',
    });
    const moved = await change(user, { email: email.toUpperCase() });
    expect([moved.status, moved.body.user.email]).toEqual([200, email]);
    expect((await user.get('/panel/session')).body.user).toEqual(moved.body.user);
    expect((await change(user, { name: 'Vera', email })).status).toBe(200);
    const records = (await listAuditRecords(panel, 'user', user.id)).filter(
      ({ action }) => action === 'update',
    );
    expect(records).toMatchObject([
      { actor: String(user.id), context: { name: { to: 'Vera' } } },
      { actor: String(user.id), context: { email: { from: user.email, to: email } } },
    ]);
  });

  it('makes the new address the sign-in name', async () => {
    const user = await newSignedInUser(panel, 'manager');
    const email = newEmail();
    await change(user, { email });
    expect((await signIn(panel, { ...user, email })).status).toBe(200);
    expect((await signIn(panel, user)).status).toBe(401);
  });

  it('needs a confirmation for the address, not for the name', async () => {
    const user = await newSignedInUser(panel, 'viewer');
    expireConfirmation();
    expect((await change(user, { name: 'Vera' })).status).toBe(200);
    const email = newEmail();
    const refused = await change(user, { email });
    expect([refused.status, refused.body.code]).toEqual([403, 'confirmation_required']);
    await user.post('/auth/confirm', { password: user.password });
    expect((await change(user, { email })).status).toBe(200);
  });

  it('voids the password links that were sent to the old address', async () => {
    const user = await newSignedInUser(panel, 'viewer');
    await owner.post('/auth/confirm', { password: owner.password });
    const { body } = await owner.post(`/panel/users/${user.id}/reset-password`);
    const token = body.password_link.url.split('#token=')[1] ?? '';
    registerSecret(token);
    await change(user, { email: newEmail() });
    const used = await browser(panel).post('/panel/set-password', {
      token,
      new_password: newPassword(),
    });
    expect(used.body.code).toBe('invalid_link');
  });

  it('returns 409 for the address of another user, and changes nothing', async () => {
    const user = await newSignedInUser(panel, 'viewer');
    const other = await newUser(panel, 'viewer');
    const { status, body } = await change(user, {
      name: 'Vera',
      email: other.email.toUpperCase(),
    });
    expect([status, body.code]).toEqual([409, 'email_taken']);
    expect((await user.get('/panel/session')).body.user).toMatchObject({ email: user.email });
    expect((await user.get('/panel/session')).body.user.name).not.toBe('Vera');
  });

  it('gives an address to one of two users who request it concurrently', async () => {
    const [first, second] = [
      await newSignedInUser(panel, 'viewer'),
      await newSignedInUser(panel, 'viewer'),
    ];
    const email = newEmail();
    const responses = await Promise.all([change(first, { email }), change(second, { email })]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it.each([{ name: ' ' }, { name: 'a\nb' }, { email: 'nobody' }, { email: 'a@b' }])(
    'returns 400 for %o',
    async (body) => {
      const user = await newSignedInUser(panel, 'viewer');
      expect((await change(user, body)).status).toBe(400);
    },
  );
});
