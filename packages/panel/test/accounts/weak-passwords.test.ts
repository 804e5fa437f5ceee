import { registerSecret } from '@steward/testkit/logs.ts';
import {
  browser,
  newPassword,
  newSignedInUser,
  signIn,
} from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR, useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

const WEAK = ['password1234', '            ', 'zzzzzzzzzzzz'];
const REFUSED = { code: 'weak_password', error: expect.stringContaining('password') };

const readToken = (link: { url: string } | null): string => {
  const token = link?.url.split('#token=')[1] ?? '';
  registerSecret(token);
  return token;
};

describe('weak passwords', () => {
  const empty = useTestPanel();
  const panel = useTestPanel();

  it('return 400 in the setup, and the link still works', async () => {
    const token = readToken(await empty.services.setup.start(OPERATOR));
    const owner = { token, name: 'First Owner', email: 'first.owner-1@example.com' };
    const setUp = (password: string) => browser(empty).post('/panel/setup', { ...owner, password });
    for (const password of [...WEAK, 'First.Owner-1', owner.email]) {
      const { status, body } = await setUp(password);
      expect([status, body]).toEqual([400, expect.objectContaining(REFUSED)]);
    }
    expect((await setUp(newPassword())).status).toBe(200);
  });

  it('return 400 with a password link, and the link still works', async () => {
    const user = await newSignedInUser(panel, 'viewer');
    const token = readToken(await panel.services.passwords.createLink(user.id, OPERATOR));
    const choose = (new_password: string) =>
      browser(panel).post('/panel/set-password', { token, new_password });
    for (const password of [...WEAK, user.email]) {
      const { status, body } = await choose(password);
      expect([status, body]).toEqual([400, expect.objectContaining(REFUSED)]);
    }
    const password = newPassword();
    expect((await choose(password)).status).toBe(200);
    expect((await signIn(panel, { ...user, password })).status).toBe(200);
  });

  it('return 400 in a password change, and the old password still works', async () => {
    const user = await newSignedInUser(panel, 'viewer');
    for (const new_password of [...WEAK, user.email]) {
      const change = { current_password: user.password, new_password };
      const { status, body } = await user.post('/auth/change-password', change);
      expect([status, body]).toEqual([400, expect.objectContaining(REFUSED)]);
    }
    expect((await signIn(panel, user)).status).toBe(200);
  });
});
