import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const fixture = useRunFixture({}, { startsWorker: false });
const SECRET = 'secret/secret.php';
let manager: Person;
let site: FixtureSite;
let secretSite: FixtureSite;

const changeAccess = (method: 'PUT' | 'DELETE') =>
  fixture.owner.call(method, `/panel/users/${manager.id}/access/sites/${site.id}`);

type Listed = { run_id: number; site: object | null; item_names: { slug: string }[] };
const findListed = async (who: Pick<Person, 'get'>, runId: number): Promise<Listed> => {
  const { runs } = (await who.get('/panel/runs')).body as { runs: Listed[] };
  return runs.find(({ run_id }) => run_id === runId) as Listed;
};

beforeAll(async () => {
  site = await fixture.newSite();
  const plugins = { [SECRET]: { version: '1.0', newVersion: '2.0', active: true } };
  secretSite = await fixture.newSite({ ...outdatedSite(), plugins });
  manager = await newSignedInUser(fixture.panel, 'manager');
  await changeAccess('PUT');
});

describe('the site of a run', () => {
  it('is named if the run has one site and the user may see it', async () => {
    const runId = await fixture.startUpdate([site.id], manager);
    const site_name = site.siteUrl.replace(/^https?:\/\//, '');
    const shown = { site_id: site.id, site_url: site.siteUrl, site_name };
    expect((await findListed(manager, runId)).site).toEqual(shown);
    expect((await manager.get(`/panel/runs/${runId}`)).body.site).toEqual(shown);
    await changeAccess('DELETE');
    expect((await findListed(manager, runId)).site).toBeNull();
    expect((await findListed(fixture.owner, runId)).site).toEqual(shown);
    await changeAccess('PUT');
  });

  it('is null for several sites and for an unknown site', async () => {
    for (const ids of [[site.id, secretSite.id], [999_999_999]]) {
      expect((await findListed(fixture.owner, await fixture.startUpdate(ids))).site).toBeNull();
    }
  });
});

describe('the names of items', () => {
  const update = async (who: Pick<Person, 'get' | 'post'>) => {
    const items = [SECRET, SHOP].map((slug) => ({ type: 'plugin', slug }));
    const request = { site_ids: [site.id, secretSite.id], items };
    const { body } = await who.post('/remote/update', request, {
      headers: { prefer: 'respond-async' },
    });
    return findListed(who, body.run_id);
  };

  it('are those that the sites report', async () => {
    const { item_names } = await update(fixture.owner);
    const name = expect.stringMatching(/./);
    expect(item_names).toEqual([
      { type: 'plugin', slug: SECRET, name },
      { type: 'plugin', slug: SHOP, name },
    ]);
  });

  it('do not reveal what other sites have installed', async () => {
    expect((await update(manager)).item_names.map(({ slug }) => slug)).toEqual([SHOP]);
  });

  it('include the plugin of an action', async () => {
    const { body } = await fixture.owner.post(
      '/panel/sites/plugin-action',
      { site_ids: [site.id], action: 'deactivate', plugin: SHOP },
      { headers: { prefer: 'respond-async' } },
    );
    expect(body.item_names).toMatchObject([{ type: 'plugin', slug: SHOP }]);
  });
});
