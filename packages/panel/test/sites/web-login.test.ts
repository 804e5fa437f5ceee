import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { RARE_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SUCCESS, startHttpSite } from '@steward/testkit/sites/fake-sites.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const fixture = useRunFixture({}, { timing: RARE_POLLS });
const LOGIN = { username: 'staging', password: 'open sesame' };
let siteId: number;
let manager: Person;
beforeAll(async () => {
  siteId = (await fixture.newSite()).id;
  manager = await newSignedInUser(fixture.panel, 'manager');
});
const path = (id = siteId) => `/panel/sites/${id}/web-login`;

describe('PUT /panel/sites/:id/web-login', () => {
  it('stores a login that calls to the site send and the API never returns', async () => {
    const seen: (string | undefined)[] = [];
    const { url } = await startHttpSite((request, response) => {
      seen.push(request.headers.authorization);
      response.end(SUCCESS);
    });
    const site = await fixture.newSite();
    await fixture.setSiteUrl(site.id, url);
    expect((await fixture.owner.call('PUT', path(site.id), LOGIN)).status).toBe(200);
    await fixture.owner.post('/panel/sites/sync', { site_ids: [site.id] });
    expect(seen).toEqual([`Basic ${Buffer.from('staging:open sesame').toString('base64')}`]);
    const details = (await fixture.owner.get(`/panel/sites/${site.id}`)).body;
    expect(details.site.has_web_login).toBe(true);
    expect(JSON.stringify(details)).not.toContain(LOGIN.password);
    const { rows } = await fixture.panel.pool.query(
      'SELECT web_login_encrypted FROM sites WHERE id = $1',
      [site.id],
    );
    expect(rows[0].web_login_encrypted.toString('latin1')).not.toContain(LOGIN.password);
    const [record] = await fixture.readAudit(site.id, 'site');
    expect(record).toMatchObject({ action: 'set_web_login', context: { username: 'staging' } });

    expect((await fixture.owner.call('DELETE', path(site.id))).status).toBe(200);
    await fixture.owner.post('/panel/sites/sync', { site_ids: [site.id] });
    expect(seen.at(-1)).toBeUndefined();
  });

  it.each([
    [{ ...LOGIN, username: 'a:b' }],
    [{ ...LOGIN, username: '' }],
    [{ ...LOGIN, password: 'a\r\nX-Other: 1' }],
    [{ username: 'staging' }],
  ])('responds 400 to %j', async (body) => {
    expect((await fixture.owner.call('PUT', path(), body)).status).toBe(400);
  });

  it('responds 404 to a site that the user may not see', async () => {
    expect((await manager.call('PUT', path(), LOGIN)).status).toBe(404);
    expect((await fixture.owner.call('PUT', path(999_999), LOGIN)).status).toBe(404);
  });
});
