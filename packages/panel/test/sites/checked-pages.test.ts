import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture();
const path = (id: number) => `/panel/sites/${id}/checked-pages`;
const mark = (id: number, ...checked_pages: string[]) =>
  fixture.owner.call('PUT', path(id), { checked_pages });

/** The bodies of the calls that a site with these capabilities gets for an update and an action. */
async function readCalls(site: FixtureSite, capabilities: string[]) {
  await fixture.panel.db
    .updateTable('license_activations')
    .set({ capabilities })
    .where('site_id', '=', site.id)
    .execute();
  const bodies: unknown[] = [];
  site.routes.update = (body) => {
    bodies.push(body);
    return { success: true, results: { plugins: [], themes: [], core: null }, errors: [] };
  };
  site.routes['plugin-action'] = (body) => {
    bodies.push(body);
    return { success: true, action: 'deactivate', plugin: SHOP };
  };
  await fixture.waitForRun(await fixture.startUpdate([site.id]));
  const action = { site_id: site.id, action: 'deactivate', plugin: SHOP };
  await fixture.owner.post('/remote/plugin-action', action);
  return bodies;
}

describe('PUT /panel/sites/:id/checked-pages', () => {
  it('stores pages, which calls name to sites with page checks', async () => {
    const site = await fixture.newSite();
    const check_pages = ['/checkout/', '/?page_id=2'];
    expect((await mark(site.id, ...check_pages, '/checkout/')).status).toBe(200);
    const { body } = await fixture.owner.get(`/panel/sites/${site.id}`);
    expect(body.site.checked_pages).toEqual(check_pages);
    const [record] = await fixture.readAudit(site.id, 'site');
    expect(record).toMatchObject({
      action: 'set_checked_pages',
      context: { checked_pages: check_pages },
    });
    const action = { action: 'deactivate', plugin: SHOP };
    expect(await readCalls(site, ['page_checks'])).toEqual([
      { check_pages },
      { ...action, check_pages },
    ]);
    expect(await readCalls(site, ['result_details'])).toEqual([{}, action]);
    await mark(site.id);
    expect(await readCalls(site, ['page_checks'])).toEqual([{}, action]);
  });

  it.each([
    ['checkout', /“checkout” cannot be checked\. Enter the part .* with a leading slash/],
    ['/a/?action=delete', /“\/a\/\?action=delete” .* can change the site/],
    ['//evil.example/', /leads away from the address/],
    [`/${'a'.repeat(500)}`, /… cannot be checked|at most 500/],
  ])('names the entry %s in its refusal', async (entry, error) => {
    const site = await fixture.newSite();
    const { status, body } = await mark(site.id, '/checkout/', entry);
    expect([status, body.code]).toEqual([400, 'invalid_page_path']);
    expect(body.error).toMatch(error);
    expect((await fixture.owner.get(`/panel/sites/${site.id}`)).body.site.checked_pages).toEqual(
      [],
    );
  });

  it('refuses more than five pages', async () => {
    const { id } = await fixture.newSite();
    const { status } = await mark(id, ...['a', 'b', 'c', 'd', 'e', 'f'].map((page) => `/${page}`));
    expect(status).toBe(400);
  });

  it('responds 404 to a site that the user may not see', async () => {
    const { id } = await fixture.newSite();
    const manager = await newSignedInUser(fixture.panel, 'manager');
    expect((await manager.call('PUT', path(id), { checked_pages: ['/'] })).status).toBe(404);
    expect((await mark(999_999, '/')).status).toBe(404);
  });
});
