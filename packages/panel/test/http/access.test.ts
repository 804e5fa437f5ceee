import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import Fastify, { type FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { assertConfirmed, guardRoutes } from '../../src/http/access.ts';

/** The access rule of every route. Add new routes here, with a reason if they are public. */
const ROUTES = {
  'POST /api/v1/license/validate': 'license_key',
  'POST /api/v1/license/activate': 'license_key',
  'POST /api/v1/license/deactivate': 'license_key',
  'POST /api/v1/license/check': 'license_key',
  'POST /api/v1/site/verify': 'license_key',
  'POST /api/v1/plugin/offer': 'license_key',
  'POST /api/v1/plugin/link': 'license_key',
  // The one-time link in the query is the credential.
  'GET /api/v1/plugin/package/:file': 'public',
  'GET /api/v1/plugin/:code/steward.zip': 'license_key',
  'GET /api/v1/services': 'public',
  'HEAD /api/v1/services': 'public',
  'GET /healthz': 'public',
  'HEAD /healthz': 'public',
  'GET /readyz': 'public',
  'HEAD /readyz': 'public',
  // The static files of the screens contain no data; they load it with a session.
  'GET /*': 'public',
  'HEAD /*': 'public',
  'GET /assets/*': 'public',
  'HEAD /assets/*': 'public',
  'GET /openapi.json': 'public',
  'HEAD /openapi.json': 'public',
  // The sign-in page must know whether a user exists before anyone can sign in.
  'GET /panel/setup': 'public',
  'HEAD /panel/setup': 'public',

  // These start a session or set a password.
  'POST /auth/sign-in/email': 'visitor',
  'GET /panel/sign-in-options': 'public',
  'HEAD /panel/sign-in-options': 'public',
  'POST /panel/request-password-reset': 'visitor',
  'POST /auth/sign-in/second-factor': 'visitor',
  'POST /auth/sign-in/passkey': 'visitor',
  'POST /auth/passkey/options': 'visitor',
  'POST /panel/setup': 'visitor',
  'POST /panel/set-password': 'visitor',

  'POST /auth/sign-out': 'session: account',
  'POST /auth/confirm': 'session: account',
  'POST /auth/confirm/passkey-options': 'session: account',
  'POST /auth/change-password': 'session: account',
  'PATCH /panel/account': 'session: account, confirmed by request',
  'GET /panel/account/second-factors': 'session: account',
  'HEAD /panel/account/second-factors': 'session: account',
  'POST /panel/account/totp': 'session: account, confirmed',
  'POST /panel/account/totp/activate': 'session: account, confirmed',
  'DELETE /panel/account/totp': 'session: account, confirmed',
  'POST /panel/account/backup-codes': 'session: account, confirmed',
  'POST /panel/account/passkeys/options': 'session: account, confirmed',
  'POST /panel/account/passkeys': 'session: account, confirmed',
  'PATCH /panel/account/passkeys/:id': 'session: account',
  'DELETE /panel/account/passkeys/:id': 'session: account, confirmed',
  'GET /panel/account/tokens': 'session: account',
  'HEAD /panel/account/tokens': 'session: account',
  'GET /panel/account/tokens/current': 'session: account',
  'HEAD /panel/account/tokens/current': 'session: account',
  'GET /panel/account/views': 'session: account',
  'HEAD /panel/account/views': 'session: account',
  'POST /panel/account/views': 'session: account',
  'DELETE /panel/account/views/:id': 'session: account',
  'POST /panel/account/tokens': 'session: account, confirmed',
  'DELETE /panel/account/tokens/:id': 'session: account',
  'GET /panel/session': 'session: account',
  'HEAD /panel/session': 'session: account',
  'GET /panel/sessions': 'session: account',
  'HEAD /panel/sessions': 'session: account',
  'DELETE /panel/sessions': 'session: account',
  'DELETE /panel/sessions/:id': 'session: account',

  'PUT /panel/sites/:id/checked-pages': 'session: sites.act',
  'GET /panel/sites/:id/login-users': 'session: sites.act, confirmed after sign-in',
  'POST /panel/sites/:id/login': 'session: sites.act, confirmed after sign-in',
  'PUT /panel/sites/:id/web-login': 'session: sites.act',
  'POST /panel/sites/:id/approve-endpoint': 'session: owner, confirmed',
  'DELETE /panel/sites/:id/alarm': 'session: sites.act',
  'DELETE /panel/sites/:id/web-login': 'session: sites.act',
  'POST /remote/update': 'session: sites.act',
  'POST /remote/plugin-action': 'session: sites.act, confirmed by request',
  'GET /panel/sites/:id/versions': 'session: sites.view',
  'HEAD /panel/sites/:id/versions': 'session: sites.view',
  'HEAD /panel/sites/:id/version-changes': 'session: sites.view',
  'GET /panel/sites/:id/version-changes': 'session: sites.view',
  'POST /panel/sites/sync': 'session: sites.act',
  'POST /panel/sites/plugin-action': 'session: sites.act, confirmed by request',
  'POST /panel/sites/install': 'session: sites.act, confirmed',
  'POST /panel/sites/restore': 'session: sites.act',
  'POST /panel/sites/self-update': 'session: sites.act',
  'POST /panel/sites/install-preview': 'session: sites.act',
  'POST /panel/sites/restore-preview': 'session: sites.act',
  'POST /panel/sites/self-update-preview': 'session: sites.act',
  'POST /panel/packages': 'session: sites.act, confirmed',
  'GET /panel/packages': 'session: sites.act',
  'HEAD /panel/packages': 'session: sites.act',
  'GET /api/v1/packages/:token': 'public',
  'GET /panel/schedules': 'session: sites.act',
  'HEAD /panel/schedules': 'session: sites.act',
  'POST /panel/schedules': 'session: sites.act',
  'PUT /panel/schedules/:id': 'session: sites.act',
  'DELETE /panel/schedules/:id': 'session: sites.act',
  'GET /panel/runs': 'session: sites.view',
  'HEAD /panel/runs': 'session: sites.view',
  'GET /panel/runs/events': 'session: sites.view',
  'GET /panel/runs/:id': 'session: sites.view',
  'HEAD /panel/runs/:id': 'session: sites.view',
  'GET /panel/runs/:id/events': 'session: sites.view',
  'HEAD /panel/runs/:id/events': 'session: sites.view',
  'GET /panel/runs/:id/tasks/:task_id': 'session: sites.view',
  'HEAD /panel/runs/:id/tasks/:task_id': 'session: sites.view',
  'POST /panel/runs/:id/cancel': 'session: sites.act',
  'POST /panel/runs/:id/retry': 'session: sites.act, confirmed by request',
  'GET /panel/rollouts': 'session: sites.view',
  'HEAD /panel/rollouts': 'session: sites.view',
  'GET /panel/rollouts/:id': 'session: sites.view',
  'HEAD /panel/rollouts/:id': 'session: sites.view',
  'POST /panel/rollouts': 'session: sites.act',
  'POST /panel/rollouts/preview': 'session: sites.act',
  'POST /panel/rollouts/:id/resume': 'session: sites.act',
  'POST /panel/rollouts/:id/canaries': 'session: sites.act',
  'POST /panel/rollouts/:id/continue-without-proof': 'session: sites.act',
  'POST /panel/rollouts/:id/end-soak': 'session: sites.act',
  'POST /panel/rollouts/:id/cancel': 'session: sites.act',

  'GET /panel/audit': 'session: owner',
  'HEAD /panel/audit': 'session: owner',
  'GET /panel/audit/export': 'session: owner',

  'GET /panel/settings': 'session: owner',
  'HEAD /panel/settings': 'session: owner',
  'PUT /panel/settings': 'session: owner, confirmed',
  'GET /panel/users': 'session: owner',
  'HEAD /panel/users': 'session: owner',
  'POST /panel/users': 'session: owner, confirmed',
  'PATCH /panel/users/:id': 'session: owner, confirmed by request',
  'POST /panel/users/:id/reset-password': 'session: owner, confirmed',
  'GET /panel/users/:id/tokens': 'session: owner',
  'HEAD /panel/users/:id/tokens': 'session: owner',
  'DELETE /panel/users/:id/tokens/:token_id': 'session: owner, confirmed',
  'GET /panel/users/:id/access': 'session: owner',
  'HEAD /panel/users/:id/access': 'session: owner',
  'PUT /panel/users/:id/access/sites/:site_id': 'session: owner, confirmed',
  'DELETE /panel/users/:id/access/sites/:site_id': 'session: owner, confirmed',
  'PUT /panel/users/:id/access/licenses/:license_id': 'session: owner, confirmed',
  'DELETE /panel/users/:id/access/licenses/:license_id': 'session: owner, confirmed',

  'GET /panel/sites': 'session: sites.view',
  'HEAD /panel/sites': 'session: sites.view',
  'GET /panel/software/export': 'session: sites.view',
  'HEAD /panel/software/export': 'session: sites.view',
  'GET /panel/sites/export': 'session: sites.view',
  'HEAD /panel/sites/export': 'session: sites.view',
  'GET /panel/sites/ids': 'session: sites.view',
  'HEAD /panel/sites/ids': 'session: sites.view',
  'GET /panel/sites/:id': 'session: sites.view',
  'HEAD /panel/sites/:id': 'session: sites.view',
  'GET /panel/sites/:id/reachability': 'session: sites.view',
  'HEAD /panel/sites/:id/reachability': 'session: sites.view',
  'GET /panel/sites/:id/history': 'session: sites.view',
  'HEAD /panel/sites/:id/history': 'session: sites.view',
  'GET /panel/tags': 'session: sites.view',
  'HEAD /panel/tags': 'session: sites.view',
  'GET /panel/clients': 'session: sites.view',
  'HEAD /panel/clients': 'session: sites.view',
  'POST /panel/clients': 'session: owner',
  'GET /panel/clients/:id': 'session: sites.view',
  'HEAD /panel/clients/:id': 'session: sites.view',
  'PUT /panel/clients/:id': 'session: owner',
  'POST /panel/clients/:id/archive': 'session: owner, confirmed by request',
  'POST /panel/clients/:id/restore': 'session: owner',
  'GET /panel/clients/:id/logo': 'session: sites.view',
  'HEAD /panel/clients/:id/logo': 'session: sites.view',
  'PUT /panel/clients/:id/logo': 'session: owner',
  'DELETE /panel/clients/:id/logo': 'session: owner',
  'PUT /panel/sites/:id': 'session: sites.act, confirmed by request',
  'POST /panel/sites/client': 'session: sites.act, confirmed by request',
  'GET /panel/software': 'session: sites.view',
  'HEAD /panel/software': 'session: sites.view',
  'GET /panel/software/item': 'session: sites.view',
  'GET /panel/software/versions': 'session: sites.view',
  'HEAD /panel/software/item': 'session: sites.view',
  'HEAD /panel/software/versions': 'session: sites.view',
  'GET /panel/overview': 'session: sites.view',
  'HEAD /panel/overview': 'session: sites.view',
  'POST /panel/sites/preflight': 'session: sites.view',
  'POST /panel/sites/update-preview': 'session: sites.act',
  'POST /panel/sites/update-summary': 'session: sites.act',
  'GET /panel/plugin.zip': 'session: sites.view, confirmed by request',
  'PUT /panel/sites/:id/tags': 'session: sites.act, confirmed by request',
  'POST /panel/sites/tags': 'session: sites.act, confirmed by request',

  'POST /panel/users/:id/access/grant': 'session: owner, confirmed',
  'POST /panel/users/:id/access/revoke': 'session: owner, confirmed',
  'POST /panel/sites/archive': 'session: owner, confirmed',
  'POST /panel/sites/unarchive': 'session: owner',
  'GET /panel/licenses': 'session: owner',
  'HEAD /panel/licenses': 'session: owner',
  'POST /panel/licenses': 'session: owner, confirmed',
  'GET /panel/licenses/:id': 'session: owner',
  'HEAD /panel/licenses/:id': 'session: owner',
  'PATCH /panel/licenses/:id': 'session: owner',
  'GET /panel/licenses/:id/limit-preview': 'session: owner',
  'HEAD /panel/licenses/:id/limit-preview': 'session: owner',
  'POST /panel/licenses/:id/suspend': 'session: owner, confirmed',
  'POST /panel/licenses/:id/resume': 'session: owner, confirmed',
  'POST /panel/licenses/:id/revoke': 'session: owner, confirmed',
  'POST /panel/licenses/:id/extend': 'session: owner, confirmed',
  'POST /panel/licenses/:id/set-limit': 'session: owner, confirmed',
  'POST /panel/licenses/:id/reveal-key': 'session: owner, confirmed',
  'POST /panel/licenses/:id/rotate-key': 'session: owner, confirmed',
  'POST /panel/licenses/:id/end-old-key': 'session: owner, confirmed',
  'POST /panel/licenses/:id/sites/:site_id/release': 'session: owner, confirmed',
  'POST /panel/licenses/:id/enrolment-codes': 'session: owner, confirmed',
  'GET /panel/licenses/:id/enrolment-codes': 'session: owner',
  'HEAD /panel/licenses/:id/enrolment-codes': 'session: owner',
  'DELETE /panel/enrolment-codes/:id': 'session: owner, confirmed',
  'GET /panel/rules': 'session: owner',
  'HEAD /panel/rules': 'session: owner',
  'POST /panel/rules': 'session: owner',
  'POST /panel/rules/preview': 'session: owner',
  'PATCH /panel/rules/:id': 'session: owner',
  'DELETE /panel/rules/:id': 'session: owner',
  'GET /panel/quarantine': 'session: owner',
  'HEAD /panel/quarantine': 'session: owner',
  'POST /panel/quarantine': 'session: owner',
  'POST /panel/quarantine/:id/lift': 'session: owner',
  'GET /panel/notification-channels': 'session: owner',
  'HEAD /panel/notification-channels': 'session: owner',
  'POST /panel/notification-channels': 'session: owner, confirmed',
  'PATCH /panel/notification-channels/:id': 'session: owner, confirmed by request',
  'DELETE /panel/notification-channels/:id': 'session: owner',
  'POST /panel/notification-channels/:id/reveal-secret': 'session: owner, confirmed',
  'POST /panel/notification-channels/:id/test': 'session: owner',
  'GET /panel/notification-deliveries': 'session: owner',
  'HEAD /panel/notification-deliveries': 'session: owner',
  'POST /panel/notification-deliveries/:id/retry': 'session: owner',
  'GET /panel/backups': 'session: owner',
  'HEAD /panel/backups': 'session: owner',
  'POST /panel/backups': 'session: owner',
  'GET /panel/backups/:name': 'session: owner, confirmed after sign-in',
  'POST /panel/backups/:name/download': 'session: owner, confirmed after sign-in',
  'GET /panel/mail': 'session: owner',
  'HEAD /panel/mail': 'session: owner',
  'GET /panel/account/notifications': 'session: account',
  'HEAD /panel/account/notifications': 'session: account',
  'PUT /panel/account/notifications': 'session: account',
  'POST /panel/account/notifications/test': 'session: account',
  'GET /panel/plans': 'session: owner',
  'HEAD /panel/plans': 'session: owner',
};

describe('the access rule', () => {
  const panel = useTestPanel();

  it('of every route matches this list', () => {
    expect(panel.app.accessRules()).toEqual(ROUTES);
  });

  describe('that is missing or incomplete keeps the server from starting', () => {
    const start = (config: object) => {
      const app = Fastify();
      guardRoutes(app, { ...panel.services, baseUrl: 'http://localhost' });
      app.get('/open', { config }, async () => 'hello');
    };

    it('without access', () => {
      expect(() => start({})).toThrow('GET /open has no access rule');
    });

    it('with a session but no permission', () => {
      expect(() => start({ access: 'session' })).toThrow('GET /open must have a permission');
    });

    it('with a confirmation but no session', () => {
      const config = { access: 'public', confirmation: true };
      expect(() => start(config)).toThrow('GET /open can require a confirmation only');
    });

    it('with a confirmation of which the route declares nothing', () => {
      const request = { method: 'POST', url: '/open', routeOptions: { config: {} } };
      expect(() => assertConfirmed(request as FastifyRequest)).toThrow('declares none');
    });

    it('with a session but no rule for access tokens', () => {
      const config = { access: 'session', permission: 'owner' };
      expect(() => start(config)).toThrow('GET /open must have a token action');
    });

    it('with a token action but no session', () => {
      const config = { access: 'public', tokenAction: 'read' };
      expect(() => start(config)).toThrow('GET /open must have a token action');
    });

    it('with a permission but no session', () => {
      const config = { access: 'public', permission: 'owner' };
      expect(() => start(config)).toThrow('GET /open must have a permission');
    });
  });
});
