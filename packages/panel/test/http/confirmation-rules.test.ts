import { readFile } from 'node:fs/promises';
import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { newUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { hashTables } from '@steward/testkit/postgres/hash-tables.ts';
import { beforeAll, describe, expect, it } from 'vitest';

type Confirmation = 'yes' | 'some' | 'no';

/** Reads the rows of docs/confirmation.md: each route with its column *Confirmation*. */
async function readTable(): Promise<Record<string, Confirmation>> {
  const page = await readFile(new URL('../../../../docs/confirmation.md', import.meta.url), 'utf8');
  const rules: Record<string, Confirmation> = {};
  for (const line of page.split('\n')) {
    const [, routes = '', confirmation = '', why = ''] = line.split('|').map((cell) => cell.trim());
    for (const [, route = ''] of routes.matchAll(/`([A-Z]+ \/[^`]+)`/g)) {
      expect(rules, `${route} is in the table twice`).not.toHaveProperty([route]);
      expect(['yes', 'some', 'no'], route).toContain(confirmation);
      expect(why, route).not.toBe('');
      rules[route] = confirmation as Confirmation;
    }
  }
  return rules;
}

describe('the confirmation of identity', () => {
  const { panel, owner } = usePanelWithOwner();
  let table: Record<string, Confirmation>;

  const confirmationOf = (rule: string): Confirmation => {
    if (rule.endsWith(', confirmed by request')) return 'some';
    return /, confirmed( after sign-in)?$/.test(rule) ? 'yes' : 'no';
  };
  const listRoutes = (wanted: Confirmation) =>
    Object.entries(panel.app.accessRules())
      .filter(([, rule]) => confirmationOf(rule) === wanted)
      .map(([name]) => name);
  const expireConfirmations = () => panel.pool.query('UPDATE sessions SET confirmed_at = NULL');

  beforeAll(async () => {
    table = await readTable();
  });

  it('is stated in docs/confirmation.md for each route that changes something, as in the code', () => {
    const rules = Object.entries(panel.app.accessRules())
      .map(([name, rule]) => [name, confirmationOf(rule)] as const)
      // Reading needs no confirmation, except if it creates something.
      .filter(([name, rule]) => !/^(GET|HEAD) /.test(name) || rule !== 'no');
    expect(rules.length).toBeGreaterThan(50);
    expect(table).toEqual(Object.fromEntries(rules));
  });

  it('is required on each route that always needs it, before anything changes', async () => {
    await expireConfirmations();
    const before = await hashTables(panel.pool);
    const routes = listRoutes('yes');
    expect(routes.length).toBeGreaterThan(20);
    for (const name of routes) {
      const [method = '', path = ''] = name.split(' ');
      const { status, body } = await owner.call(method, path.replaceAll(/:\w+/g, '999999'));
      expect([name, status, body.code]).toEqual([name, 403, 'confirmation_required']);
    }
    expect(await hashTables(panel.pool)).toEqual(before);
  });

  describe('on a route where some requests need it', () => {
    type Request = [path: string, body?: object];
    /** For each route, a request that needs a confirmation and one that does not. A new route needs both. */
    let requests: Record<string, { confirmed: Request; unconfirmed: Request }>;

    beforeAll(async () => {
      const license = await newLicenseWithSites(panel);
      const sites = [await license.addSite(), await license.addSite()];
      const [one, two] = sites.map(({ id }) => id);
      const { id: userId } = await newUser(panel, 'viewer');
      const channel = { kind: 'slack', name: 'Team', url: 'https://hooks.example.com/a' };
      const confirm = () => owner.post('/auth/confirm', { password: owner.password });
      await confirm();
      await owner.post('/panel/sites/tags', { site_ids: [one], add: ['granted'] });
      await owner.post(`/panel/users/${userId}/access/grant`, { tags: ['granted'] });
      const created = await owner.post('/panel/clients', { name: 'Granted' });
      const client_ids = [created.body.client.id];
      await owner.post('/panel/sites/client', { site_ids: [one], client_id: client_ids[0] });
      await owner.post(`/panel/users/${userId}/access/grant`, { client_ids });
      const other = (await owner.post('/panel/clients', { name: 'Other' })).body.client.id;
      const { body } = await owner.post('/panel/notification-channels', channel);
      const plugin = 'shop/shop.php';
      const unknown = Array.from({ length: 11 }, (_, index) => 900_000 + index);
      const startAndCancel = async (path: string, request: object) => {
        const prefer = { headers: { prefer: 'respond-async' } };
        const { run_id } = (await owner.post(path, request, prefer)).body;
        await owner.post(`/panel/runs/${run_id}/cancel`);
        return `/panel/runs/${run_id}/retry`;
      };
      const item = { type: 'plugin', slug: 'calm', version: '1.0' };
      const retryInstall = await startAndCancel('/panel/sites/install', {
        site_ids: [one],
        items: [item],
      });
      const retrySync = await startAndCancel('/panel/sites/sync', { site_ids: [two] });
      requests = {
        'POST /remote/plugin-action': {
          // Ten other deletions were counted before.
          confirmed: ['/remote/plugin-action', { site_id: 900_100, action: 'delete', plugin }],
          unconfirmed: ['/remote/plugin-action', { site_id: 900_100, action: 'update', plugin }],
        },
        'POST /panel/sites/plugin-action': {
          confirmed: [
            '/panel/sites/plugin-action',
            { site_ids: unknown, action: 'delete', plugin },
          ],
          unconfirmed: [
            '/panel/sites/plugin-action',
            { site_ids: unknown, action: 'deactivate', plugin },
          ],
        },
        'POST /panel/runs/:id/retry': {
          confirmed: [retryInstall, {}],
          unconfirmed: [retrySync, {}],
        },
        'PATCH /panel/users/:id': {
          confirmed: [`/panel/users/${userId}`, { role: 'manager' }],
          unconfirmed: [`/panel/users/${userId}`, { name: 'Another' }],
        },
        'PATCH /panel/account': {
          confirmed: ['/panel/account', { email: 'new@example.com' }],
          unconfirmed: ['/panel/account', { name: 'New' }],
        },
        'PATCH /panel/notification-channels/:id': {
          confirmed: [
            `/panel/notification-channels/${body.channel.id}`,
            { url: 'https://hooks.example.com/b' },
          ],
          unconfirmed: [`/panel/notification-channels/${body.channel.id}`, { name: 'All' }],
        },
        'GET /panel/plugin.zip': {
          confirmed: [`/panel/plugin.zip?license_id=${license.id}`],
          unconfirmed: ['/panel/plugin.zip'],
        },
        'PUT /panel/sites/:id/tags': {
          confirmed: [`/panel/sites/${two}/tags`, { tags: ['granted'] }],
          unconfirmed: [`/panel/sites/${two}/tags`, { tags: ['plain'] }],
        },
        'PUT /panel/sites/:id': {
          confirmed: [`/panel/sites/${two}`, { client_id: client_ids[0] }],
          unconfirmed: [`/panel/sites/${two}`, { client_id: other, note: 'Plain' }],
        },
        'POST /panel/sites/client': {
          confirmed: ['/panel/sites/client', { site_ids: [one], client_id: null }],
          unconfirmed: ['/panel/sites/client', { site_ids: [two], client_id: other }],
        },
        'POST /panel/clients/:id/archive': {
          confirmed: [`/panel/clients/${client_ids[0]}/archive`],
          unconfirmed: [`/panel/clients/${other}/archive`],
        },
        'POST /panel/sites/tags': {
          confirmed: ['/panel/sites/tags', { site_ids: [one], remove: ['granted'] }],
          unconfirmed: ['/panel/sites/tags', { site_ids: [one], add: ['plain'] }],
        },
      };
      panel.fakes.panelUrl = 'https://panel.example.com';
      const site_ids = unknown.slice(1);
      await owner.post('/panel/sites/plugin-action', { site_ids, action: 'delete', plugin });
    });

    /** Does not wait for the end of a run, because no worker is running. */
    const call = (name: string, [path, body]: Request) =>
      owner.call(name.split(' ')[0] ?? '', path, body, { headers: { prefer: 'respond-async' } });

    it('is known for each of them', () => {
      expect(Object.keys(requests).sort()).toEqual(listRoutes('some').sort());
    });

    it('is required for these requests, before anything changes', async () => {
      await expireConfirmations();
      const before = await hashTables(panel.pool);
      for (const [name, { confirmed }] of Object.entries(requests)) {
        const { status, body } = await call(name, confirmed);
        expect([name, status, body.code]).toEqual([name, 403, 'confirmation_required']);
      }
      expect(await hashTables(panel.pool)).toEqual(before);
    });

    it('is not required for the others', async () => {
      for (const [name, { unconfirmed }] of Object.entries(requests)) {
        const { body } = await call(name, unconfirmed);
        expect([name, body?.code]).not.toEqual([name, 'confirmation_required']);
      }
    });

    it('is enough for them', async () => {
      await owner.post('/auth/confirm', { password: owner.password });
      for (const [name, { confirmed }] of Object.entries(requests)) {
        const { body } = await call(name, confirmed);
        expect([name, body?.code]).not.toEqual([name, 'confirmation_required']);
      }
    });
  });
});
