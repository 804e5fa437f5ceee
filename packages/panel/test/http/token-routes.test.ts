import { type Permission, roleMay, TOKEN_ACTIONS } from '@steward/contract';
import { newToken } from '@steward/testkit/panel/access-token.ts';
import { inventory, newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { hashTables } from '@steward/testkit/postgres/hash-tables.ts';
import { beforeAll, describe, expect, it } from 'vitest';

type Token = Awaited<ReturnType<typeof newToken>>;

const ASYNC = { headers: { prefer: 'respond-async' } };
/** Its response does not end. packages/panel/test/runs/events.test.ts tests it with a token for one site. */
const ENDLESS = 'GET /panel/runs/events';
const MANAGER_ACTIONS = TOKEN_ACTIONS.filter((action) => !['rules', 'licenses'].includes(action));

describe('every route that requires a session, with an access token', () => {
  const { panel, owner } = usePanelWithOwner();
  let limited: Token;
  let readOnly: Token;
  let all: Token;
  let mine: number;
  const hidden = { client: 0, site: 0, license: 0, run: 0, task: 0, rollout: 0, schedule: 0 };

  type Route = { name: string; method: string; path: string; permission: Permission };
  const routes = (): Route[] =>
    Object.keys(panel.app.tokenRules())
      .filter((name) => !name.startsWith('HEAD'))
      .map((name) => {
        const [method = '', path = ''] = name.split(' ');
        const permission = panel.app.accessRules()[name]?.split(/: |, /)[1] as Permission;
        return { name, method, path, permission };
      });
  const ruleOf = ({ name }: Route) => panel.app.tokenRules()[name];

  /** Returns the URL with the ids of entities that the limited token must not see. */
  const urlOf = ({ path }: Route) =>
    path
      .replace('sites/:id', `sites/${hidden.site}`)
      .replace(':site_id', String(hidden.site))
      .replace('clients/:id', `clients/${hidden.client}`)
      .replace('licenses/:id', `licenses/${hidden.license}`)
      .replace('runs/:id', `runs/${hidden.run}`)
      .replace(':task_id', String(hidden.task))
      .replace('rollouts/:id', `rollouts/${hidden.rollout}`)
      .replace('schedules/:id', `schedules/${hidden.schedule}`)
      .replace('users/:id', `users/${owner.id}`)
      .replaceAll(/:\w+/g, '999999');

  const schedule = () => ({
    name: 'hidden-schedule',
    selection: {},
    weekdays: [1],
    once_on: null,
    opens_at: '02:00',
    closes_at: '04:00',
    time_zone: 'UTC',
    in_site_zone: false,
    in_rings: false,
    types: ['plugin'],
    enabled: true,
  });
  const plugin = 'secret-plugin/secret-plugin.php';

  /** Bodies that name the hidden site. Each route with an action for managers needs one. */
  const bodies = (): Record<string, unknown> => {
    const site_ids = [hidden.site];
    const items = [{ type: 'plugin', slug: plugin }];
    const versioned = [{ type: 'plugin', slug: plugin, version: '2.0' }];
    return {
      'PUT /panel/sites/:id/checked-pages': { checked_pages: ['/'] },
      'PUT /panel/sites/:id/web-login': { username: 'u', password: 'p' },
      'DELETE /panel/sites/:id/web-login': undefined,
      'PUT /panel/sites/:id/tags': { tags: ['changed'] },
      'POST /panel/sites/tags': { site_ids, add: ['changed'] },
      'PUT /panel/sites/:id': { display_name: 'changed', note: 'changed', client_id: null },
      'POST /panel/sites/client': { site_ids, client_id: null },
      'POST /remote/update': { site_ids },
      'POST /remote/plugin-action': { site_id: hidden.site, action: 'deactivate', plugin },
      'POST /panel/sites/sync': { site_ids },
      'POST /panel/sites/plugin-action': { site_ids, action: 'update', plugin },
      'POST /panel/sites/install': {
        site_ids,
        items: [{ type: 'plugin', slug: 'calm', version: '1.0' }],
      },
      'POST /panel/sites/restore': { site_ids, items: versioned },
      'POST /panel/sites/self-update': { site_ids },
      'POST /panel/sites/install-preview': {
        site_ids,
        items: [{ type: 'plugin', slug: 'calm', version: '1.0' }],
      },
      'POST /panel/sites/restore-preview': { site_ids, type: 'plugin', slug: plugin },
      'POST /panel/sites/self-update-preview': { site_ids },
      'POST /panel/sites/preflight': { site_ids, items },
      'POST /panel/sites/update-preview': { site_ids },
      'POST /panel/sites/update-summary': { site_ids },
      'POST /panel/packages': undefined,
      'POST /panel/schedules': undefined,
      'PUT /panel/schedules/:id': schedule(),
      'DELETE /panel/schedules/:id': undefined,
      'POST /panel/runs/:id/cancel': undefined,
      'POST /panel/runs/:id/retry': { site_ids },
      'POST /panel/rollouts': { site_ids, items: versioned },
      'POST /panel/rollouts/preview': { site_ids },
      'POST /panel/rollouts/:id/resume': undefined,
      'POST /panel/rollouts/:id/canaries': { site_ids },
      'POST /panel/rollouts/:id/continue-without-proof': { reason: 'Why not.' },
      'POST /panel/rollouts/:id/end-soak': undefined,
      'POST /panel/rollouts/:id/cancel': undefined,
    };
  };

  const QUERIES: Record<string, string> = {
    '/panel/software/item': `?type=plugin&slug=${plugin}`,
    '/panel/software/versions': `?type=plugin&slug=${plugin}`,
    '/panel/audit/export': '?format=csv',
  };
  const call = (token: Token, route: Route) => {
    const url = urlOf(route) + (QUERIES[route.path] ?? '');
    return token.call(route.method, url, bodies()[route.name], ASYNC);
  };

  beforeAll(async () => {
    const [seen, unseen] = [await newLicenseWithSites(panel), await newLicenseWithSites(panel)];
    mine = (await seen.addSite()).id;
    const site = await unseen.addSite({
      url: 'https://secret-site.example.com',
      inventory: inventory({ plugins: ['secret-plugin'] }),
    });
    const { client } = (await owner.post('/panel/clients', { name: 'secret-client' })).body;
    await owner.post('/panel/sites/client', { site_ids: [site.id], client_id: client.id });
    Object.assign(hidden, { client: client.id, site: site.id, license: unseen.id });
    await owner.post('/panel/sites/tags', { site_ids: [site.id], add: ['secret-tag'] });
    const { run_id } = (await owner.post('/remote/update', { site_ids: [site.id] }, ASYNC)).body;
    const run = (await owner.get(`/panel/runs/${run_id}`)).body;
    const rollout = (
      await owner.post('/panel/rollouts', {
        name: 'secret-rollout',
        site_ids: [site.id],
        items: [{ type: 'plugin', slug: plugin, version: '2.0' }],
      })
    ).body;
    const created = (
      await owner.post('/panel/schedules', { ...schedule(), name: 'secret-schedule' })
    ).body;
    Object.assign(hidden, {
      run: run_id,
      task: run.results[0].task_id,
      rollout: rollout.rollout.rollout_id,
      schedule: created.schedule.schedule_id,
    });
    expect(hidden).toEqual(
      Object.fromEntries(Object.keys(hidden).map((name) => [name, expect.any(Number)])),
    );

    const manager = await newSignedInUser(panel, 'manager');
    await panel.services.siteAccess.grant(manager.id, { siteId: mine }, OPERATOR);
    limited = await newToken(panel, manager, {
      role: 'manager',
      actions: MANAGER_ACTIONS,
      access: { site_ids: [mine] },
    });
    readOnly = await newToken(panel, owner, { actions: ['read'] });
    all = await newToken(panel, owner, { actions: [...TOKEN_ACTIONS] });
  });

  it('refuses a token with all actions where no token is accepted, and changes nothing', async () => {
    const before = await hashTables(panel.pool, ['access_tokens']);
    for (const route of routes().filter((each) => ruleOf(each) === false)) {
      const { status, body } = await call(all, route);
      expect([route.name, status, body.code]).toEqual([route.name, 403, 'token_not_allowed']);
    }
    expect(await hashTables(panel.pool, ['access_tokens'])).toEqual(before);
  });

  it('refuses every change by a token that only reads', async () => {
    const before = await hashTables(panel.pool, ['access_tokens']);
    for (const route of routes().filter(({ method }) => method !== 'GET')) {
      const { status, body } = await call(readOnly, route);
      const code = ruleOf(route) === false ? 'token_not_allowed' : 'token_action_missing';
      if (ruleOf(route) === 'read') expect([200, 400]).toContain(status);
      else expect([route.name, status, body.code]).toEqual([route.name, 403, code]);
    }
    expect(await hashTables(panel.pool, ['access_tokens'])).toEqual(before);
  });

  it('reads with a token that may read, on every route for reading', async () => {
    const readable = routes().filter((each) => ruleOf(each) === 'read');
    // The stream of an unfinished run does not end, and the preview of a rule has no body here.
    const excluded = [ENDLESS, 'GET /panel/runs/:id/events', 'POST /panel/rules/preview'];
    for (const route of readable.filter(({ name }) => !excluded.includes(name))) {
      // 404: an id that does not exist.
      const { status } = await call(readOnly, route);
      expect([route.name, [200, 404].includes(status)]).toEqual([route.name, true]);
    }
  });

  it('shows a token for one site no other site, on every route for reading', async () => {
    const readable = routes().filter((each) => ruleOf(each) === 'read');
    for (const route of readable.filter(({ name }) => name !== ENDLESS)) {
      const response = await panel.app.inject({
        method: route.method as 'GET',
        url: urlOf(route) + (QUERIES[route.path] ?? ''),
        headers: { authorization: `Bearer ${limited.secret}` },
        ...(bodies()[route.name] !== undefined && { payload: bodies()[route.name] as object }),
      });
      const isForOwners = !roleMay('manager', route.permission);
      if (isForOwners) expect([route.name, response.statusCode]).toEqual([route.name, 403]);
      expect([route.name, /secret-/.exec(response.body)?.[0]]).toEqual([route.name, undefined]);
    }
    const { body } = await limited.get('/panel/sites');
    expect(body.sites.map(({ id }: { id: number }) => id)).toEqual([mine]);
  });

  it('changes no other site with a token for one site and all actions', async () => {
    const state = async () => {
      const { rows } = await panel.pool.query(
        `SELECT (SELECT to_jsonb(s) FROM sites s WHERE s.id = $1) AS site,
           (SELECT jsonb_agg(t) FROM site_tags t WHERE t.site_id = $1) AS tags,
           (SELECT jsonb_agg(t ORDER BY t.id) FROM run_tasks t WHERE t.site_id = $1 AND t.status <> 'refused') AS tasks,
           (SELECT jsonb_agg(s) FROM schedules s) AS schedules,
           (SELECT jsonb_agg(r) FROM rollouts r) AS rollouts,
           (SELECT jsonb_agg(r) FROM runs r WHERE r.id = $2) AS run,
           (SELECT count(*) FROM rollout_sites r WHERE r.site_id = $1) AS rollout_sites`,
        [hidden.site, hidden.run],
      );
      return rows[0];
    };
    const before = await state();
    const writable = routes().filter(
      (route) =>
        route.method !== 'GET' &&
        ruleOf(route) !== false &&
        roleMay('manager', route.permission) &&
        route.name !== 'POST /panel/packages' &&
        route.name !== 'POST /panel/schedules',
    );
    for (const route of writable) {
      expect(Object.keys(bodies())).toContain(route.name);
      const response = await call(limited, route);
      expect([route.name, response.status]).toEqual([route.name, expect.any(Number)]);
      expect(response.status).toBeLessThan(500);
    }
    expect(await state()).toEqual(before);
  });
});
