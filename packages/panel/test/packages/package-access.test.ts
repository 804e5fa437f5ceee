import { createPluginPackage } from '@steward/testkit/package-zip.ts';
import { newToken } from '@steward/testkit/panel/access-token.ts';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import {
  type Browser,
  newSignedInUser,
  type Person,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const ZIP = { headers: { 'content-type': 'application/zip' } };
const ASYNC = { headers: { prefer: 'respond-async' } };
const { panel, owner } = usePanelWithOwner();

type Client = Pick<Browser, 'get' | 'post'>;
const upload = async (user: Client, zip: Buffer) => {
  const { status, body } = await user.post('/panel/packages', zip, ZIP);
  expect([status, body.code]).toEqual([200, undefined]);
  return body.package as { id: number; uploaded_by: number; created_at: string };
};
const listIds = async (user: Client): Promise<number[]> =>
  (await user.get('/panel/packages')).body.packages.map(({ id }: { id: number }) => id);
/** Returns what the two routes that use a package respond. */
const use = async (user: Client, siteId: number, packageId: number) => {
  const body = { site_ids: [siteId], packages: [packageId] };
  const preview = await user.post('/panel/sites/install-preview', body);
  const installation = await user.post('/panel/sites/install', body, ASYNC);
  return [preview, installation].map(({ status, body: { code } }) => [status, code]);
};
const NOT_FOUND = [404, 'package_not_found'];

describe('uploaded packages', () => {
  let one: Person;
  let two: Person;
  let site: number;
  beforeAll(async () => {
    panel.fakes.panelUrl = 'https://panel.example.com';
    const license = await newLicenseWithSites(panel);
    site = (await license.addSite()).id;
    one = await newUserWithAccess(panel, 'manager', [{ siteId: site }]);
    two = await newUserWithAccess(panel, 'manager', [{ siteId: site }]);
  });

  it('are visible to and usable by the manager who uploaded them, and by owners', async () => {
    const { id } = await upload(one, await createPluginPackage('paid-one', '1.0'));
    const ofOwner = await upload(owner, await createPluginPackage('paid-owner', '1.0'));
    expect(await listIds(one)).toContain(id);
    expect(await listIds(owner)).toEqual(expect.arrayContaining([id, ofOwner.id]));
    expect(await use(one, site, id)).toEqual([
      [200, undefined],
      [202, undefined],
    ]);
    expect((await use(owner, site, id))[0]).toEqual([200, undefined]);

    for (const hidden of [id, ofOwner.id]) {
      expect(await listIds(two)).not.toContain(hidden);
      expect(await use(two, site, hidden)).toEqual([NOT_FOUND, NOT_FOUND]);
    }
    expect(await use(two, site, 999_999)).toEqual([NOT_FOUND, NOT_FOUND]);
  });

  it('cannot be named by an item of the public directory', async () => {
    const { id } = await upload(owner, await createPluginPackage('paid-item', '1.0'));
    const items = [{ type: 'plugin', slug: 'free', version: '1.0', package_id: id, name: 'Free' }];
    const body = { site_ids: [site], items };
    const { run_id } = (await two.post('/panel/sites/install', body, ASYNC)).body;
    const { rows } = await panel.pool.query(
      'SELECT r.request, t.items FROM runs r JOIN run_tasks t ON t.run_id = r.id WHERE r.id = $1',
      [run_id],
    );
    const installed = [{ type: 'plugin', slug: 'free', version: '1.0' }];
    expect(rows).toEqual([{ request: { items: installed }, items: installed }]);
  });

  it('are visible to each user who uploaded the same file, as their own', async () => {
    const zip = await createPluginPackage('shared', '1.0');
    const { id } = await upload(one, zip);
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 60_000);
    expect(await upload(two, zip)).toMatchObject({
      id,
      uploaded_by: two.id,
      created_at: panel.fakes.now.toISOString(),
    });
    expect(await listIds(two)).toContain(id);
    expect((await use(two, site, id))[0]).toEqual([200, undefined]);
    const { packages } = (await one.get('/panel/packages')).body;
    expect(packages.find((each: { id: number }) => each.id === id).uploaded_by).toBe(one.id);
  });

  it('of the creator are hidden from a token that is limited to sites, which sees its own', async () => {
    const { id } = await upload(one, await createPluginPackage('paid-two', '1.0'));
    const actions = ['read' as const, 'install' as const];
    const limits = { role: 'manager' as const, actions, access: { site_ids: [site] } };
    const token = await newToken(panel, one, limits);
    const other = await newToken(panel, one, limits);
    expect(await listIds(token)).toEqual([]);
    expect(await use(token, site, id)).toEqual([NOT_FOUND, NOT_FOUND]);

    const own = await upload(token, await createPluginPackage('paid-three', '1.0'));
    expect(await listIds(token)).toEqual([own.id]);
    expect((await use(token, site, own.id))[0]).toEqual([200, undefined]);
    expect(await listIds(other)).toEqual([]);
    expect(await use(other, site, own.id)).toEqual([NOT_FOUND, NOT_FOUND]);
    expect(await listIds(one)).toEqual(expect.arrayContaining([id, own.id]));
    expect(await listIds(two)).not.toContain(own.id);
  });

  it('are limited to 2 GB for each user, together with the uploads of their tokens', async () => {
    const [full, free] = [
      await newSignedInUser(panel, 'manager'),
      await newSignedInUser(panel, 'manager'),
    ];
    const zip = await createPluginPackage('first', '1.0');
    await upload(full, zip);
    // Takes up 2 GB, except for 100 bytes.
    await panel.pool.query(
      `WITH added AS (
         INSERT INTO packages (sha256, size, type, slug, name, version, created_at, used_at)
         SELECT 'large ' || n, CASE WHEN n = 32 THEN 67108864 - $1::int - 100 ELSE 67108864 END,
           'theme', 'large', 'Large', '1.0', now(), now() FROM generate_series(1, 32) n RETURNING id)
       INSERT INTO package_uploads SELECT id, $2, now() FROM added`,
      [zip.length, full.id],
    );
    const limits = { role: 'manager' as const, actions: ['install' as const] };
    const token = await newToken(panel, full, { ...limits });
    const second = await createPluginPackage('second', '1.0');
    const count = async () =>
      (await panel.pool.query('SELECT count(*) FROM packages')).rows[0].count;
    const before = await count();
    for (const client of [full, token]) {
      const { status, body } = await client.post('/panel/packages', second, ZIP);
      expect([status, body.code]).toEqual([409, 'package_storage_full']);
    }
    expect(await count()).toBe(before);
    await upload(free, second);
    // Another user has stored the file, but it would count for this one too.
    expect((await full.post('/panel/packages', second, ZIP)).status).toBe(409);
    // The same file again takes no further space.
    await upload(full, zip);
  });
});
