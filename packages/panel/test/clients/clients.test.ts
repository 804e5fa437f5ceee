import { CLIENTS_MAX } from '@steward/contract';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

const ACME = {
  name: 'Acme GmbH',
  contact_name: 'Anna Müller',
  contact_email: 'anna@acme.example',
  time_zone: 'Europe/Berlin',
};

describe('/panel/clients', () => {
  const { panel, owner } = usePanelWithOwner();
  const create = async (name: string) =>
    (await owner.post('/panel/clients', { name })).body.client as { id: number; name: string };

  it('creates, shows and changes a client, and records it by name without the contact', async () => {
    const created = await owner.post('/panel/clients', { ...ACME, name: '  Acme GmbH ' });
    expect([created.status, created.body.client]).toMatchObject([
      200,
      { ...ACME, sites: 0, logo: null, archived_at: null },
    ]);
    const { id } = created.body.client;
    const change = { name: 'Acme AG', contact_email: null };
    const changed = await owner.call('PUT', `/panel/clients/${id}`, change);
    expect(changed.body.client).toMatchObject({ ...ACME, ...change });
    expect((await owner.get(`/panel/clients/${id}`)).body.client).toEqual(changed.body.client);
    await owner.call('PUT', `/panel/clients/${id}`, change);

    const records = await listAuditRecords(panel, 'client', id);
    expect(records.map(({ action, context }) => [action, context])).toMatchObject([
      ['create', { name: 'Acme GmbH' }],
      ['update', { name: 'Acme AG', before: 'Acme GmbH', changed: ['name', 'contact_email'] }],
    ]);
    expect(JSON.stringify(records)).not.toContain('anna@');
  });

  it.each([
    [{ name: '   ' }, 'name must not be empty'],
    [{ name: 'a\u202eb' }, 'change the direction of writing'],
    [{ name: 'Mail', contact_email: 'nobody' }, 'must be an e-mail address'],
    [{ name: 'Zone', time_zone: 'Mars/Olympus' }, 'Use a name such as Europe/Berlin'],
    [{ name: 'Zone', time_zone: '+02:00' }, 'Use a name such as Europe/Berlin'],
    [{ name: 'x'.repeat(101) }, 'name'],
  ])('400 for %j', async (request, message) => {
    const { status, body } = await owner.post('/panel/clients', request);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.error).toContain(message);
  });

  it('409 for a name that differs only in case, also of an archived client', async () => {
    const [taken, other] = [await create('Bäcker Ltd'), await create('Other Ltd')];
    await owner.post(`/panel/clients/${taken.id}/archive`);
    for (const response of [
      await owner.post('/panel/clients', { name: 'bäcker LTD' }),
      await owner.call('PUT', `/panel/clients/${other.id}`, { name: 'BÄCKER ltd' }),
    ]) {
      expect([response.status, response.body.code]).toEqual([409, 'client_exists']);
    }
  });

  it('lets only owners change clients', async () => {
    const { id } = await create('Guarded');
    const manager = await newSignedInUser(panel, 'manager');
    for (const [method, path] of [
      ['POST', '/panel/clients'],
      ['PUT', `/panel/clients/${id}`],
      ['POST', `/panel/clients/${id}/archive`],
      ['POST', `/panel/clients/${id}/restore`],
      ['DELETE', `/panel/clients/${id}/logo`],
    ] as const) {
      expect((await manager.call(method, path, { name: 'Mine' })).status).toBe(403);
    }
  });

  it('shows a manager the clients of visible sites and granted ones, and counts only visible sites', async () => {
    const license = await newLicenseWithSites(panel);
    const [mine, other] = [(await license.addSite()).id, (await license.addSite()).id];
    const [seen, granted, hidden] = [
      await create('Seen'),
      await create('Granted'),
      await create('Hidden'),
    ];
    const set = (site_ids: number[], client_id: number) =>
      owner.post('/panel/sites/client', { site_ids, client_id });
    await set([mine, other], seen.id);
    const manager = await newUserWithAccess(panel, 'manager', [
      { siteId: mine },
      { clientId: granted.id },
    ]);
    const { clients } = (await manager.get('/panel/clients')).body;
    expect(clients).toMatchObject([
      { name: 'Granted', sites: 0 },
      { name: 'Seen', sites: 1 },
    ]);
    const shown = await manager.get(`/panel/clients/${hidden.id}`);
    expect([shown.status, shown.body.code]).toEqual([404, 'client_not_found']);
    const missing = await manager.get('/panel/clients/999999');
    expect({ ...missing.body, request_id: '' }).toEqual({ ...shown.body, request_id: '' });
    const chosen = await manager.call('PUT', `/panel/sites/${mine}`, { client_id: hidden.id });
    expect([chosen.status, chosen.body.code]).toEqual([404, 'client_not_found']);
  });

  it('archives a client: its sites have none, its history stays, and it cannot be chosen', async () => {
    const license = await newLicenseWithSites(panel);
    const { id: siteId } = await license.addSite();
    const client = await create('Former');
    await owner.post('/panel/sites/client', { site_ids: [siteId], client_id: client.id });
    const archived = await owner.post(`/panel/clients/${client.id}/archive`);
    expect(archived.body.client).toMatchObject({ sites: 0, archived_at: expect.any(String) });
    expect((await owner.get(`/panel/sites/${siteId}`)).body.site.client).toBeNull();
    const history = await panel.db
      .selectFrom('client_memberships')
      .select(['site_id', 'ended_at'])
      .where('client_id', '=', client.id)
      .execute();
    expect(history).toEqual([{ site_id: siteId, ended_at: expect.any(Date) }]);
    const chosen = await owner.call('PUT', `/panel/sites/${siteId}`, { client_id: client.id });
    expect([chosen.status, chosen.body.code]).toEqual([409, 'client_archived']);

    const restored = await owner.post(`/panel/clients/${client.id}/restore`);
    expect(restored.body.client).toMatchObject({ sites: 0, archived_at: null });
    const records = await listAuditRecords(panel, 'client', client.id);
    expect(records.map(({ action, context }) => [action, context.sites])).toEqual([
      ['create', undefined],
      ['archive', 1],
      ['restore', undefined],
    ]);
  });

  it('does not let clients appear as tags', async () => {
    const license = await newLicenseWithSites(panel);
    const { id } = await license.addSite();
    const client = await create('No Tag');
    const body = { site_ids: [id], client_id: client.id };
    await owner.post('/panel/sites/client', body);
    const tags = (await owner.get('/panel/tags')).body.tags as { name: string }[];
    expect(tags.filter(({ name }) => name.includes('client'))).toEqual([]);
    const { site } = (await owner.get(`/panel/sites/${id}`)).body;
    expect([site.tags, site.client]).toEqual([[], { id: client.id, name: 'No Tag' }]);
    // Replacing the tags of a site keeps its client.
    const replaced = await owner.call('PUT', `/panel/sites/${id}/tags`, { tags: ['shop'] });
    expect(replaced.body.tags).toEqual(['shop']);
    const filtered = await owner.get(`/panel/sites?client_id=${client.id}`);
    expect(filtered.body.sites.map((each: { id: number }) => each.id)).toEqual([id]);
    const rule = { tag: `\u0001client ${client.id}`, aspect: 'level', level: 'minor' };
    expect((await owner.post('/panel/rules', rule)).status).toBeGreaterThanOrEqual(400);
    const grant = { tags: [`\u0001client ${client.id}`] };
    const user = await newSignedInUser(panel, 'viewer');
    expect((await owner.post(`/panel/users/${user.id}/access/grant`, grant)).status).toBe(404);
  });

  it('409 for more clients than the limit', async () => {
    await panel.pool.query(
      `INSERT INTO clients (name, time_zone, created_at)
       SELECT 'Filler ' || n, 'UTC', now() FROM generate_series(1, $1 - (SELECT count(*) FROM clients)) AS n`,
      [CLIENTS_MAX],
    );
    const { status, body } = await owner.post('/panel/clients', { name: 'One more' });
    expect([status, body.code]).toEqual([409, 'too_many_clients']);
  });
});
