import { createHash } from 'node:crypto';
import { createPluginPackage, createZip, replaceInZip } from '@steward/testkit/package-zip.ts';
import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import {
  newSignedInUser,
  type Person,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { phpFileHeader } from '@steward/testkit/zip.ts';
import { beforeEach, describe, expect, it } from 'vitest';

const ZIP = { headers: { 'content-type': 'application/zip' } };
const { panel, owner } = usePanelWithOwner();

/** The tests move the clock, so that the sign-in of the owner is no longer recent. */
beforeEach(() => owner.post('/auth/confirm', { password: owner.password }));

const upload = (zip: Buffer, user: Person = owner) => user.post('/panel/packages', zip, ZIP);
const minutesLater = (minutes: number) => {
  panel.fakes.now = new Date(panel.fakes.now.getTime() + minutes * 60_000);
};
const asOwner = { id: 0, role: 'owner' } as const;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('POST /panel/packages', () => {
  it('reads a plugin from its header, and stores the same file once', async () => {
    const header =
      '<?php\r\n/*\r\n * Plugin Name: Shop <b>\u202ePro\r\n * Version: 2.0.1\r\n * Requires at least: 6.2\r\n * Requires PHP: 8.1 */';
    const zip = await createZip([
      { name: 'shop/', content: '' },
      { name: 'shop/a.php', content: phpFileHeader('Plugin', 'Add-on', '1.0') },
      { name: 'shop/shop.php', content: header },
    ]);
    const { status, body } = await upload(zip);
    expect([status, body.package]).toEqual([
      200,
      {
        id: expect.any(Number),
        type: 'plugin',
        slug: 'shop/shop.php',
        name: 'Shop <b> Pro',
        version: '2.0.1',
        requires: '6.2',
        requires_php: '8.1',
        sha256: sha256(zip),
        size: zip.length,
        uploaded_by: owner.id,
        created_at: panel.fakes.now.toISOString(),
      },
    ]);
    const manager = await newSignedInUser(panel, 'manager');
    expect((await upload(zip, manager)).body.package.id).toBe(body.package.id);
    const list = (await owner.get('/panel/packages')).body.packages;
    expect(list.filter(({ sha256 }: { sha256: string }) => sha256 === body.package.sha256)).toEqual(
      [body.package],
    );
    const records = await panel.db
      .selectFrom('audit_log')
      .select(['actor', 'action', 'context'])
      .where('entity_type', '=', 'package')
      .where('entity_id', '=', String(body.package.id))
      .orderBy('id')
      .execute();
    expect(records).toMatchObject([
      { actor: String(owner.id), action: 'upload', context: { slug: 'shop/shop.php' } },
      { actor: String(manager.id), action: 'upload' },
    ]);
  });

  it('reads a theme from its style sheet', async () => {
    const zip = await createZip([
      { name: 'plain/style.css', content: '/*\nTheme Name: Plain\nVersion: 1.4\n*/' },
      { name: 'plain/index.php', content: '<?php' },
    ]);
    const { body } = await upload(zip);
    expect(body.package).toMatchObject({
      type: 'theme',
      slug: 'plain',
      name: 'Plain',
      version: '1.4',
      requires: null,
    });
  });

  it('needs a confirmation of identity, and a role that may act', async () => {
    const zip = await createPluginPackage('form', '1.0');
    const viewer = await newSignedInUser(panel, 'viewer');
    expect((await upload(zip, viewer)).body.code).toBe('forbidden');
    const manager = await newSignedInUser(panel, 'manager');
    minutesLater(10);
    expect((await upload(zip, manager)).body.code).toBe('confirmation_required');
    await manager.post('/auth/confirm', { password: manager.password });
    expect((await upload(zip, manager)).status).toBe(200);
  });

  const plugin = (slug: string, version = '1.0') => ({
    name: `${slug}/${slug}.php`,
    content: phpFileHeader('Plugin', slug, version),
  });
  const cases: [what: string, zip: () => Promise<Buffer>, reason: RegExp][] = [
    ['a text', async () => Buffer.from('<html>'), /not a zip file/],
    ['an empty body', async () => Buffer.alloc(0), /not a zip file/],
    ['an empty zip', () => createZip([]), /exactly one folder/],
    [
      'a path that climbs out',
      async () =>
        replaceInZip(await createPluginPackage('shop', '1.0'), 'shop/inc/code', 'shop/../../cd'),
      /points outside its folder/,
    ],
    [
      'an absolute path',
      async () => replaceInZip(await createPluginPackage('shop', '1.0'), 'shop/inc', '/hop/inc'),
      /points outside its folder/,
    ],
    [
      'a path with backslashes',
      async () => replaceInZip(await createPluginPackage('shop', '1.0'), 'shop/inc', 'shop\\inc'),
      /points outside its folder/,
    ],
    [
      'a symbolic link',
      () => createZip([plugin('shop'), { name: 'shop/x', content: '/etc', mode: 0o120777 }]),
      /link or a special file/,
    ],
    [
      'a zip bomb',
      () => createZip([plugin('shop'), { name: 'shop/zeros', content: '\0'.repeat(30_000_000) }]),
      /a hundred times its size/,
    ],
    [
      'the same file twice',
      () => createZip([plugin('shop'), { name: 'shop/SHOP.php', content: '' }]),
      /same file twice/,
    ],
    [
      'a damaged file',
      async () =>
        replaceInZip(
          await createZip([
            plugin('shop'),
            { name: 'shop/x.txt', content: 'first text', compress: false },
          ]),
          'first text',
          'other text',
        ),
      /damaged/,
    ],
    ['two folders', () => createZip([plugin('shop'), plugin('form')]), /exactly one folder/],
    [
      'files of macOS',
      () => createZip([plugin('shop'), { name: '__MACOSX/._shop', content: '' }]),
      /__MACOSX/,
    ],
    [
      'a file without a folder',
      () => createZip([{ name: 'shop.php', content: phpFileHeader('Plugin', 'Shop', '1.0') }]),
      /exactly one folder/,
    ],
    [
      'a header in a folder below',
      () => createZip([{ name: 'shop/inc/shop.php', content: plugin('x').content }]),
      /no plugin and no theme/,
    ],
    ['a plugin without a version', () => createZip([plugin('shop', '')]), /no valid version/],
    ['a version that is a path', () => createZip([plugin('shop', '../1')]), /no valid version/],
    ['the Steward plugin', () => createZip([plugin('Steward')]), /Steward plugin itself/],
  ];
  it.each(cases)('refuses %s', async (_, create, reason) => {
    const { status, body } = await upload(await create());
    expect([status, body.error]).toEqual([expect.any(Number), expect.stringMatching(reason)]);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  it('refuses a file above 64 MB, and a body of another type', async () => {
    const large = await upload(Buffer.alloc(64 * 1024 * 1024 + 1));
    expect([large.status, large.body.code]).toEqual([413, 'request_too_large']);
    const json = await owner.post('/panel/packages', { zip: 'x' });
    expect([json.status, json.body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('GET /api/v1/packages/:token', () => {
  async function createLink() {
    const license = await newLicenseWithSites(panel);
    const site = await license.addSite();
    // Two chunks: the content does not compress.
    const noise = createHash('shake256', { outputLength: 600_000 }).update('x').digest('hex');
    const zip = await createPluginPackage('shop', '3.0', [
      { name: 'shop/noise.txt', content: noise, compress: false },
    ]);
    const { id } = (await upload(zip)).body.package;
    const [item] = await panel.services.packages.toRunItems(asOwner, [id]);
    if (!item) throw new Error('No item.');
    const create = async () => {
      const [created] = (await panel.services.packages.createInstallItems(site.id, [item])) ?? [];
      const { url = '', ...facts } = created?.package ?? {};
      return { path: new URL(url).pathname, facts };
    };
    const get = (path: string) => panel.app.inject({ url: path });
    return { license, site, zip, item, create, get };
  }

  it('serves the package once', async () => {
    const { zip, create, get } = await createLink();
    const { path, facts } = await create();
    expect(facts).toEqual({ sha256: sha256(zip), size: zip.length });
    expect((await panel.app.inject({ method: 'HEAD', url: path })).statusCode).toBe(404);
    const responses = await Promise.all([get(path), get(path)]);
    const served = responses.find(({ statusCode }) => statusCode === 200);
    expect(served?.rawPayload.equals(zip)).toBe(true);
    expect(served?.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(zip.length),
      'cache-control': 'no-store',
    });
    const refused = responses.find(({ statusCode }) => statusCode !== 200);
    expect([refused?.statusCode, refused?.json().code]).toEqual([410, 'package_link_used']);
  });

  it('refuses a link that is expired, unknown, or of a disconnected site', async () => {
    const { license, site, create, get } = await createLink();
    const codeOf = async (path: string) => {
      const { statusCode, body } = await get(path);
      return [statusCode, JSON.parse(body).code];
    };
    const expired = await create();
    minutesLater(15);
    expect(await codeOf(expired.path)).toEqual([410, 'package_link_expired']);
    expect(await codeOf('/api/v1/packages/x')).toEqual([404, 'package_link_unknown']);
    const { path } = await create();
    await license.deactivate(site.url);
    expect(await codeOf(path)).toEqual([410, 'package_link_expired']);
  });

  it('is not created for a package that was deleted after 30 days without use', async () => {
    const { site, item } = await createLink();
    const { packages } = panel.services;
    minutesLater(29 * 24 * 60);
    await packages.createInstallItems(site.id, [item]);
    minutesLater(29 * 24 * 60);
    await packages.deleteUnused();
    expect(await packages.createInstallItems(site.id, [item])).not.toBeNull();
    minutesLater(31 * 24 * 60);
    await packages.deleteUnused();
    expect(await packages.createInstallItems(site.id, [item])).toBeNull();
    await expect(packages.toRunItems(asOwner, [item.package_id ?? 0])).rejects.toThrow(
      'Upload it again',
    );
  });
});
