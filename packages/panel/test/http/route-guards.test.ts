import { type Permission, ROLES, roleMay } from '@steward/contract';
import { type Browser, browser, newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { hashTables } from '@steward/testkit/postgres/hash-tables.ts';
import { beforeAll, describe, expect, it } from 'vitest';

/** Its response does not end. packages/panel/test/runs/events.test.ts reads it. */
const ENDLESS = '/panel/runs/events';

/**
 * Calls every route that requires a session, of all features. Each must refuse before it reads the body or
 * changes anything.
 */
describe('every route that requires a session', () => {
  const panel = useTestPanel();
  const users = {} as Record<(typeof ROLES)[number], Browser>;
  beforeAll(async () => {
    for (const role of ROLES) users[role] = await newSignedInUser(panel, role);
  });

  type Route = { method: string; url: string; permission: Permission; isConfirmed: boolean };
  const routes = (): Route[] =>
    Object.entries(panel.app.accessRules())
      .filter(([, access]) => access.startsWith('session: '))
      .map(([route, access]) => {
        const [method = '', path = ''] = route.split(' ');
        const permission = access.split(/: |, /)[1] as Permission;
        const isConfirmed = access.endsWith(', confirmed after sign-in');
        return { method, url: path.replaceAll(/:\w+/g, '999999'), permission, isConfirmed };
      });
  const writeRoutes = () => routes().filter(({ method }) => !['GET', 'HEAD'].includes(method));

  /** Calls all routes and expects the same refusal and no writes. */
  async function expectRefusals(
    called: Route[],
    call: (route: Route) => ReturnType<Browser['call']>,
    [status, code]: [number, string],
  ) {
    expect(called.length).toBeGreaterThan(0);
    const before = await hashTables(panel.pool);
    for (const route of called) {
      const response = await call(route);
      const receivedCode = route.method === 'HEAD' ? code : response.body.code;
      expect([route, response.status, receivedCode]).toEqual([route, status, code]);
    }
    expect(await hashTables(panel.pool)).toEqual(before);
  }

  it('responds 401 without a session', async () => {
    const anonymous = browser(panel);
    await expectRefusals(routes(), ({ method, url }) => anonymous.call(method, url), [
      401,
      'unauthenticated',
    ]);
  });

  for (const [what, cookie] of [
    ['nonsense', 'steward.session_token=nonsense'],
    ['no value', 'steward.session_token='],
    ['broken escapes', 'steward.session_token=%E0%A4%A.%zz'],
    ['an invalid signature', `steward.session_token=${'a'.repeat(32)}.${'A'.repeat(43)}%3D`],
    ['no name', '=;;; =x'],
  ] as const) {
    it(`responds 401 to a cookie with ${what}`, async () => {
      const anonymous = browser(panel, cookie, 'token');
      await expectRefusals(routes(), ({ method, url }) => anonymous.call(method, url), [
        401,
        'unauthenticated',
      ]);
    });
  }

  it("responds 401 to a session token with another session's signature", async () => {
    const [name = '', value = ''] = users.owner.cookie.split('=', 2);
    const [, other = ''] = users.viewer.cookie.split('=', 2);
    const mixed = `${name}=${value.split('.')[0]}.${other.split('.')[1]}`;
    const forger = browser(panel, mixed, users.owner.csrfToken);
    await expectRefusals(routes(), ({ method, url }) => forger.call(method, url), [
      401,
      'unauthenticated',
    ]);
  });

  it('responds 403 to a write without a CSRF token', async () => {
    const tokenless = browser(panel, users.owner.cookie);
    await expectRefusals(writeRoutes(), ({ method, url }) => tokenless.call(method, url), [
      403,
      'csrf_token_invalid',
    ]);
  });

  it('responds 403 to a wrong, foreign or truncated CSRF token', async () => {
    const { cookie, csrfToken } = users.owner;
    const truncated = csrfToken.slice(0, 20);
    for (const token of ['wrong', users.viewer.csrfToken, truncated, `${csrfToken}AAAA`]) {
      const forger = browser(panel, cookie, token);
      await expectRefusals(writeRoutes(), ({ method, url }) => forger.call(method, url), [
        403,
        'csrf_token_invalid',
      ]);
    }
  });

  for (const role of ROLES) {
    it(`responds 403 to a ${role} exactly where the role lacks the permission`, async () => {
      const forbidden = routes().filter(({ permission }) => !roleMay(role, permission));
      const { call } = users[role];
      if (role !== 'owner') {
        await expectRefusals(forbidden, ({ method, url }) => call(method, url), [403, 'forbidden']);
      }
      const readable = routes().filter(
        ({ method, url, permission, isConfirmed }) =>
          method === 'GET' && url !== ENDLESS && !isConfirmed && roleMay(role, permission),
      );
      // 400: the route requires a query parameter.
      for (const { url } of readable) {
        expect([200, 400, 404]).toContain((await call('GET', url)).status);
      }
    });
  }

  it('requires no CSRF token for reads', async () => {
    const { status } = await browser(panel, users.viewer.cookie).get('/panel/session');
    expect(status).toBe(200);
  });

  it('responds 401 before it parses the body', async () => {
    const { status, body } = await browser(panel).post('/panel/users', '{ not json', {
      headers: { 'content-type': 'application/json' },
    });
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
  });
});
