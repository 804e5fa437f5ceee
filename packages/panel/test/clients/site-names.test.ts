import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { beforeAll, describe, expect, it } from 'vitest';

describe('PUT /panel/sites/:id', () => {
  const { panel, owner } = usePanelWithOwner();
  let license: Awaited<ReturnType<typeof newLicenseWithSites>>;
  beforeAll(async () => {
    license = await newLicenseWithSites(panel);
  });
  const change = (id: number, body: object, user = owner) =>
    user.call('PUT', `/panel/sites/${id}`, body);
  const listNames = async (query: string) => {
    const { body } = await owner.get(`/panel/sites?${query}`);
    return body.sites.map(({ name }: { name: string }) => name) as string[];
  };

  it('sets a display name, which is shown with the address and sorts and finds the site', async () => {
    const [zoo, any] = [
      await license.addSite({ url: 'https://zoo.example.com' }),
      await license.addSite({ url: 'https://www.Any.example.com/Shop/' }),
    ];
    await change(any.id, { display_name: ' Zürich Shop ' });
    await change(zoo.id, { display_name: 'Acme' });
    const labels = ['Acme (zoo.example.com)', 'Zürich Shop (any.example.com/shop)'];
    expect(await listNames('')).toEqual(labels);
    expect(await listNames('search=zürich%20SHOP')).toEqual([labels[1]]);
    expect(await listNames('search=https://www.any.example.com/shop')).toEqual([labels[1]]);
    expect(await listNames('search=ac')).toEqual([labels[0]]);
    expect((await owner.get(`/panel/sites/${zoo.id}`)).body.site).toMatchObject({
      ...{ name: labels[0], display_name: 'Acme', url: 'https://zoo.example.com' },
    });
    const preview = await owner.post('/panel/sites/update-preview', { site_ids: [zoo.id] });
    expect(JSON.stringify(preview.body)).not.toContain('"zoo.example.com"');
    const run = await owner.post(
      '/panel/sites/sync',
      { site_ids: [zoo.id] },
      { headers: { prefer: 'respond-async' } },
    );
    expect(run.body.results[0]).toMatchObject({ site_name: labels[0] });
    const runs = (await owner.get('/panel/runs')).body.runs;
    expect(runs[0].site).toMatchObject({ site_name: labels[0] });
    const { body } = await owner.get(`/panel/audit?site_id=${zoo.id}`);
    expect(JSON.stringify(body)).toContain(labels[0]);

    await change(zoo.id, { display_name: '' });
    expect(await listNames('search=acme')).toEqual([]);
    expect(await listNames('search=zoo')).toEqual(['zoo.example.com']);
    const records = await listAuditRecords(panel, 'site', zoo.id);
    const renames = records.filter(({ action }) => action === 'rename');
    expect(renames.map(({ context }) => [context.before, context.after])).toEqual([
      [null, 'Acme'],
      ['Acme', null],
    ]);
  });

  it('keeps a note, and records only that it changed', async () => {
    const { id } = await license.addSite();
    const note = 'Staging password: ask Anna.\nCall before updates.';
    await change(id, { note: `${note}  ` });
    expect((await owner.get(`/panel/sites/${id}`)).body.site.note).toBe(note);
    await change(id, { display_name: 'Other' });
    expect((await owner.get(`/panel/sites/${id}`)).body.site.note).toBe(note);
    await change(id, { note: null });
    const records = await listAuditRecords(panel, 'site', id);
    expect(JSON.stringify(records)).not.toContain('Anna');
    const notes = records.filter(({ action }) => action === 'set_note');
    expect(notes.map(({ context }) => context.removed)).toEqual([false, true]);
  });

  it('is not open to the site itself, viewers, or managers of other sites', async () => {
    const [mine, other] = [await license.addSite(), await license.addSite()];
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: mine.id }]);
    const viewer = await newUserWithAccess(panel, 'viewer', [{ siteId: mine.id }]);
    expect((await change(mine.id, { display_name: 'Mine' }, manager)).status).toBe(200);
    expect((await change(other.id, { display_name: 'Mine' }, manager)).status).toBe(404);
    expect((await change(mine.id, { display_name: 'Mine' }, viewer)).status).toBe(403);
    const site_url = mine.url;
    await license.post('/api/v1/site/verify', {
      ...{ site_url, display_name: 'Bank', note: 'Bank', name: 'Bank', client_id: 1 },
    });
    const { site } = (await owner.get(`/panel/sites/${mine.id}`)).body;
    expect([site.display_name, site.note, site.client]).toEqual(['Mine', null, null]);
  });

  it.each([
    { display_name: 'bank.example\u202e' },
    { display_name: 'two\nlines' },
    { display_name: 'x'.repeat(101) },
    { note: 'x'.repeat(2001) },
    { client_id: 0 },
    { client_id: 'all' },
  ])('400 for %j', async (body) => {
    const { id } = await license.addSite();
    expect((await change(id, body)).status).toBe(400);
  });
});
