import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

/** Routes that no token may call, whatever its actions. A new route belongs here or has an action. */
const NEVER_BY_TOKEN = [
  'DELETE /panel/account/passkeys/:id',
  'DELETE /panel/account/tokens/:id',
  'DELETE /panel/account/totp',
  'DELETE /panel/account/views/:id',
  'DELETE /panel/notification-channels/:id',
  'DELETE /panel/sessions',
  'DELETE /panel/sessions/:id',
  'DELETE /panel/sites/:id/alarm',
  'DELETE /panel/users/:id/access/licenses/:license_id',
  'DELETE /panel/users/:id/access/sites/:site_id',
  'DELETE /panel/users/:id/tokens/:token_id',
  'GET /panel/account/notifications',
  'GET /panel/account/second-factors',
  'GET /panel/account/tokens',
  'GET /panel/account/views',
  'GET /panel/backups/:name',
  'GET /panel/session',
  'GET /panel/sessions',
  'GET /panel/sites/:id/login-users',
  'GET /panel/users/:id/tokens',
  'PATCH /panel/account',
  'PATCH /panel/account/passkeys/:id',
  'PATCH /panel/notification-channels/:id',
  'PATCH /panel/users/:id',
  'POST /auth/change-password',
  'POST /auth/confirm',
  'POST /auth/confirm/passkey-options',
  'POST /auth/sign-out',
  'POST /panel/account/backup-codes',
  'POST /panel/account/notifications/test',
  'POST /panel/account/passkeys',
  'POST /panel/account/passkeys/options',
  'POST /panel/account/tokens',
  'POST /panel/account/totp',
  'POST /panel/account/totp/activate',
  'POST /panel/account/views',
  'POST /panel/backups',
  'POST /panel/backups/:name/download',
  'POST /panel/licenses/:id/end-old-key',
  'POST /panel/licenses/:id/reveal-key',
  'POST /panel/licenses/:id/revoke',
  'POST /panel/licenses/:id/rotate-key',
  'POST /panel/notification-channels',
  'POST /panel/notification-channels/:id/reveal-secret',
  'POST /panel/notification-channels/:id/test',
  'POST /panel/notification-deliveries/:id/retry',
  'POST /panel/sites/:id/approve-endpoint',
  'POST /panel/sites/:id/login',
  'POST /panel/sites/archive',
  'POST /panel/sites/unarchive',
  'POST /panel/users',
  'POST /panel/users/:id/access/grant',
  'POST /panel/users/:id/access/revoke',
  'POST /panel/users/:id/reset-password',
  'PUT /panel/account/notifications',
  'PUT /panel/settings',
  'PUT /panel/users/:id/access/licenses/:license_id',
  'PUT /panel/users/:id/access/sites/:site_id',
];

/** Requests with a body that change nothing. */
const READ_BY_POST = [
  'POST /panel/rollouts/preview',
  'POST /panel/rules/preview',
  'POST /panel/sites/install-preview',
  'POST /panel/sites/preflight',
  'POST /panel/sites/restore-preview',
  'POST /panel/sites/self-update-preview',
  'POST /panel/sites/update-preview',
  'POST /panel/sites/update-summary',
];

describe('the rule for access tokens', () => {
  const panel = useTestPanel();
  const listRoutes = (rule: unknown) =>
    Object.entries(panel.app.tokenRules())
      .filter(([name, each]) => each === rule && !name.startsWith('HEAD'))
      .map(([name]) => name)
      .sort();

  it('refuses all tokens on these routes only', () => {
    expect(listRoutes(false)).toEqual(NEVER_BY_TOKEN);
  });

  it('lets a token that only reads call no route that changes something', () => {
    const writes = listRoutes('read').filter((name) => !name.startsWith('GET '));
    expect(writes).toEqual(READ_BY_POST);
  });

  it('needs no action on one route: the token of the request', () => {
    expect(listRoutes('any')).toEqual(['GET /panel/account/tokens/current']);
  });
});
