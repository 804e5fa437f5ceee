import { type Permission, ROLES, roleMay } from '@steward/contract';
import { type Browser, browser, newPerson } from '@steward/testkit/panel/people.ts';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';

/**
 * Every route that needs a session, whatever feature it belongs to: refused before its body is read
 * and before anything happens.
 */
describe('every route that needs a session', () => {
  const panel = useTestPanel();
  const people = {} as Record<(typeof ROLES)[number], Browser>;
  beforeAll(async () => {
    for (const role of ROLES) people[role] = await newPerson(panel, role);
  });

  type Route = { method: string; url: string; permission: Permission };
  const routes = (): Route[] =>
    Object.entries(panel.app.statedAccess())
      .filter(([, access]) => access.startsWith('session: '))
      .map(([route, access]) => {
        const [method = '', path = ''] = route.split(' ');
        const permission = access.replace('session: ', '').replace(', confirmed', '') as Permission;
        return { method, url: path.replaceAll(/:\w+/g, '999999'), permission };
      });
  const changing = () => routes().filter(({ method }) => !['GET', 'HEAD'].includes(method));

  /** Everything the panel keeps, but for what a refusal may not touch anyway. */
  const stored = async () => {
    const tables = await panel.pool.query(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    );
    const counts = tables.rows.map(({ tablename }) =>
      panel.pool.query(`SELECT '${tablename}' AS name, md5(string_agg(t::text, '' ORDER BY t::text))
                        FROM ${tablename} t`),
    );
    return (await Promise.all(counts)).map(({ rows }) => rows[0]);
  };

  /** Calls them all, and looks that each was refused as it should be and nothing was written. */
  async function expectRefusals(
    called: Route[],
    call: (route: Route) => ReturnType<Browser['call']>,
    [status, code]: [number, string],
  ) {
    expect(called.length).toBeGreaterThan(0);
    const before = await stored();
    for (const route of called) {
      const answer = await call(route);
      const told = route.method === 'HEAD' ? code : answer.body.code;
      expect([route, answer.status, told]).toEqual([route, status, code]);
    }
    expect(await stored()).toEqual(before);
  }

  it('is 401 without a session', async () => {
    const stranger = browser(panel);
    await expectRefusals(routes(), ({ method, url }) => stranger.call(method, url), [
      401,
      'unauthenticated',
    ]);
  });

  for (const [what, cookie] of [
    ['nonsense', 'steward.session_token=nonsense'],
    ['no value', 'steward.session_token='],
    ['broken escapes', 'steward.session_token=%E0%A4%A.%zz'],
    ['a signature of nobody', `steward.session_token=${'a'.repeat(32)}.${'A'.repeat(43)}%3D`],
    ['no name', '=;;; =x'],
  ] as const) {
    it(`is 401 with a cookie that holds ${what}`, async () => {
      const stranger = browser(panel, cookie, 'token');
      await expectRefusals(routes(), ({ method, url }) => stranger.call(method, url), [
        401,
        'unauthenticated',
      ]);
    });
  }

  it("is 401 with somebody's session token and another's signature", async () => {
    const [name = '', value = ''] = people.owner.cookie.split('=', 2);
    const [, other = ''] = people.viewer.cookie.split('=', 2);
    const mixed = `${name}=${value.split('.')[0]}.${other.split('.')[1]}`;
    const forger = browser(panel, mixed, people.owner.csrfToken);
    await expectRefusals(routes(), ({ method, url }) => forger.call(method, url), [
      401,
      'unauthenticated',
    ]);
  });

  it('is 403 without a CSRF token where something changes', async () => {
    const careless = browser(panel, people.owner.cookie);
    await expectRefusals(changing(), ({ method, url }) => careless.call(method, url), [
      403,
      'csrf_token_invalid',
    ]);
  });

  it("is 403 with a wrong CSRF token, another's, or half of one's own", async () => {
    const { cookie, csrfToken } = people.owner;
    const cut = csrfToken.slice(0, 20);
    for (const token of ['wrong', people.viewer.csrfToken, cut, `${csrfToken}AAAA`]) {
      const forger = browser(panel, cookie, token);
      await expectRefusals(changing(), ({ method, url }) => forger.call(method, url), [
        403,
        'csrf_token_invalid',
      ]);
    }
  });

  for (const role of ROLES) {
    it(`is 403 for a ${role} exactly where the role does not allow it`, async () => {
      const forbidden = routes().filter(({ permission }) => !roleMay(role, permission));
      const { call } = people[role];
      if (role !== 'owner') {
        await expectRefusals(forbidden, ({ method, url }) => call(method, url), [403, 'forbidden']);
      }
      const readable = routes().filter(
        ({ method, permission }) => method === 'GET' && roleMay(role, permission),
      );
      // 400: it asks for something in its query.
      for (const { url } of readable) {
        expect([200, 400, 404]).toContain((await call('GET', url)).status);
      }
    });
  }

  it('needs no CSRF token to read', async () => {
    const { status } = await browser(panel, people.viewer.cookie).get('/panel/session');
    expect(status).toBe(200);
  });

  it('does not tell a missing session from a missing token by the body that is sent', async () => {
    const { status, body } = await browser(panel).post('/panel/users', '{ not json', {
      headers: { 'content-type': 'application/json' },
    });
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
  });
});
