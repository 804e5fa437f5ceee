import { newPerson, type Person } from '@steward/testkit/panel/people.ts';
import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { httpSite, SUCCESS } from '@steward/testkit/sites/stand-in-sites.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const scene = useRunScene();
const LOGIN = { username: 'staging', password: 'open sesame' };
let siteId: number;
let manager: Person;
beforeAll(async () => {
  siteId = (await scene.newSite()).id;
  manager = await newPerson(scene.panel, 'manager');
});
const path = (id = siteId) => `/panel/sites/${id}/web-login`;

describe('PUT /panel/sites/:id/web-login', () => {
  it('stores a login that calls to the site send and the API never returns', async () => {
    const seen: (string | undefined)[] = [];
    const { url } = await httpSite((request, response) => {
      seen.push(request.headers.authorization);
      response.end(SUCCESS);
    });
    const site = await scene.newSite();
    await scene.pointElsewhere(site.id, url);
    expect((await scene.owner.call('PUT', path(site.id), LOGIN)).status).toBe(200);
    await scene.owner.post('/panel/sites/sync', { site_ids: [site.id] });
    expect(seen).toEqual([`Basic ${Buffer.from('staging:open sesame').toString('base64')}`]);
    const details = (await scene.owner.get(`/panel/sites/${site.id}`)).body;
    expect(details.site.has_web_login).toBe(true);
    expect(JSON.stringify(details)).not.toContain(LOGIN.password);
    const { rows } = await scene.panel.pool.query(
      'SELECT web_login_encrypted FROM sites WHERE id = $1',
      [site.id],
    );
    expect(rows[0].web_login_encrypted.toString('latin1')).not.toContain(LOGIN.password);
    const [record] = await scene.audit(site.id, 'site');
    expect(record).toMatchObject({ action: 'set_web_login', context: { username: 'staging' } });

    expect((await scene.owner.call('DELETE', path(site.id))).status).toBe(200);
    await scene.owner.post('/panel/sites/sync', { site_ids: [site.id] });
    expect(seen.at(-1)).toBeUndefined();
  });

  it.each([
    [{ ...LOGIN, username: 'a:b' }],
    [{ ...LOGIN, username: '' }],
    [{ ...LOGIN, password: 'a\r\nX-Other: 1' }],
    [{ username: 'staging' }],
  ])('responds 400 to %j', async (body) => {
    expect((await scene.owner.call('PUT', path(), body)).status).toBe(400);
  });

  it('responds 404 to a site that the user may not see', async () => {
    expect((await manager.call('PUT', path(), LOGIN)).status).toBe(404);
    expect((await scene.owner.call('PUT', path(999_999), LOGIN)).status).toBe(404);
  });
});
