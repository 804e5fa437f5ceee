import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { getMigrations } from 'better-auth/db/migration';
import { describe, expect, it } from 'vitest';
import { buildAuthOptions } from '../../src/features/accounts/auth-options.ts';
import { passwordHashing } from '../../src/features/accounts/passwords.ts';

describe('better-auth', () => {
  const panel = useTestPanel({}, { hashing: passwordHashing });
  const options = () =>
    buildAuthOptions({
      pool: panel.pool,
      secrets: panel.secrets,
      clock: { now: () => panel.fakes.now },
      hashing: passwordHashing,
      baseUrl: 'http://localhost:8080',
    });

  it('expects no table and no column that our migrations do not create', async () => {
    const differences: string[] = [];
    const { toBeCreated, toBeAdded } = await getMigrations({
      ...options(),
      logger: { level: 'warn', log: (_level, message) => differences.push(message) },
    });
    expect({ toBeCreated, toBeAdded }).toEqual({ toBeCreated: [], toBeAdded: [] });
    // better-auth expects ids as strings; ours are numbers, and its option `serial` converts them.
    expect(differences.filter((text) => !/^Field user_id .* Expected string/.test(text))).toEqual(
      [],
    );
  });

  it('reports a missing column', async () => {
    await panel.executeAsTableOwner('ALTER TABLE sessions RENAME COLUMN user_agent TO browser');
    const { toBeAdded } = await getMigrations(options());
    await panel.executeAsTableOwner('ALTER TABLE sessions RENAME COLUMN browser TO user_agent');
    expect(toBeAdded).toMatchObject([{ table: 'sessions', fields: { user_agent: {} } }]);
  });

  it('signs cookies with the key of the panel, not with a key from its own variables', () => {
    const key = panel.secrets.keyFor('session_cookies').toString('hex');
    expect(options().secrets).toEqual([{ version: 1, value: key }]);
    expect(key).not.toBe(panel.secrets.keyFor('csrf_tokens').toString('hex'));
  });

  for (const path of [
    '/auth/sign-up/email',
    '/auth/get-session',
    '/auth/list-sessions',
    '/auth/revoke-sessions',
    '/auth/update-user',
    '/auth/delete-user',
    '/auth/change-email',
    '/auth/request-password-reset',
    '/auth/reset-password',
    '/auth/verify-email',
    '/auth/sign-in/social',
    '/auth/callback/github',
    '/auth/error',
    '/auth/ok',
  ]) {
    it(`is not reachable at ${path}`, async () => {
      for (const method of ['GET', 'POST'] as const) {
        const { statusCode, body } = await panel.app.inject({
          method,
          url: path,
          ...(method === 'POST' && {
            payload: { email: 'a@example.com', password: 'x', name: 'x' },
          }),
        });
        expect([statusCode, JSON.parse(body).code]).toEqual([404, 'not_found']);
      }
    });
  }
});
