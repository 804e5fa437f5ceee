import { INSTALL_ITEMS_MAX, SIGNATURE_HEADER } from '@steward/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallSigner } from '../call-signer.ts';
import { createPackageCaller, pluginFile, pluginFiles, themeFiles } from '../item-packages.ts';
import { createItemUpdater } from '../item-updater.ts';
import { type PackageServer, startPackageServer } from '../package-server.ts';
import type { SiteCaller } from '../site-caller.ts';
import { DIRECTORY_PLUGIN, PLUGINS } from '../site-under-test.ts';
import type { ZipEntry } from '../zip.ts';

const FRESH = 'fresh/fresh.php';
const SYMLINK = 0o120777;

/** Tests that a site installs exactly the package that the panel sent, and only from a signed call. */
export function describeInstall(caller: SiteCaller, signer: CallSigner | null): void {
  let server: PackageServer;
  beforeAll(async () => {
    server = await startPackageServer(() => caller.site.panelUrl);
  });
  afterAll(() => server.stop());
  const { send, sendOne, createPackagedItem, findReported } = createPackageCaller(
    caller,
    () => server,
  );
  const { expectChanges } = createItemUpdater(caller);
  const reset = (scenario = {}) => caller.reset({ panelUrl: server.url, ...scenario });
  const resetAndRead = async () => {
    await reset();
    return caller.site.readState();
  };
  const fresh = (files: ZipEntry[] = pluginFiles('fresh', '1.0')) =>
    createPackagedItem('plugin', FRESH, '1.0', files);

  describe('install: access', () => {
    it('401 for a call without a signature, even on a site where other calls need none', async () => {
      await reset();
      const unsigned = { [SIGNATURE_HEADER]: '' };
      const response = await caller.call('install', { items: [fresh()] }, unsigned);
      caller.expectError(response, [401, 'invalid_signature']);
      await caller.expectUnchanged();
    });
  });
  if (!signer) return;

  describe('install: from a package', () => {
    it('installs a plugin and does not activate it', async () => {
      const before = await resetAndRead();
      const result = await sendOne('install', fresh());
      const { name } = (await findReported(FRESH)) ?? {};
      expect(result).toEqual({ slug: FRESH, name, new_version: '1.0', success: true });
      expect(await findReported(FRESH)).toMatchObject({ version: '1.0', active: false });
      await expectChanges(before, { plugins: { [FRESH]: '1.0' } });
    });

    it('installs a theme', async () => {
      const before = await resetAndRead();
      const item = createPackagedItem('theme', 'modern', '2.0', themeFiles('modern', '2.0'));
      const result = await sendOne('install', item);
      const { name } = (await findReported('modern')) ?? {};
      expect(result).toEqual({ slug: 'modern', name, new_version: '2.0', success: true });
      await expectChanges(before, { themes: { modern: '2.0' } });
    });

    it('succeeds without a change when the call is repeated', async () => {
      await reset();
      await sendOne('install', fresh());
      const result = await sendOne('install', fresh());
      expect(result).toMatchObject({ success: true, old_version: '1.0', new_version: '1.0' });
    });

    it('refuses an installed plugin in another version, and installs the others', async () => {
      const before = await resetAndRead();
      const good = createPackagedItem(
        'plugin',
        PLUGINS.good.file,
        '1.1',
        pluginFiles('good', '1.1'),
      );
      const { success, results, errors } = await send('install', [good, fresh()]);
      expect(results.plugins).toMatchObject([
        { slug: good.slug, success: false, code: 'already_installed', new_version: '1.0' },
        { slug: FRESH, success: true },
      ]);
      expect([success, errors.length]).toEqual([false, 1]);
      await expectChanges(before, { plugins: { [FRESH]: '1.0' } });
    });

    it('refuses a plugin whose folder contains another plugin, also with the same version', async () => {
      await reset();
      const [folder] = PLUGINS.good.file.split('/');
      const files = [{ name: `${folder}/main.php`, content: pluginFile('main', '1.0') }];
      const item = createPackagedItem('plugin', `${folder}/main.php`, '1.0', files);
      const result = await sendOne('install', item);
      expect(result).toMatchObject({
        slug: item.slug,
        success: false,
        code: 'already_installed',
        new_version: '',
      });
      expect(Object.keys(result)).not.toContain('old_version');
      await caller.expectUnchanged();
    });

    it('refuses the management plugin', async () => {
      await reset();
      const { file } = PLUGINS.management;
      for (const slug of [file, 'steward/other.php', 'Steward/steward.php']) {
        const item = createPackagedItem('plugin', slug, '9.9', pluginFiles('steward', '9.9'));
        expect(await sendOne('install', item)).toMatchObject({ code: 'management_plugin' });
      }
      const listed = { type: 'plugin', slug: 'steward', version: '9.9' };
      expect(await sendOne('install', listed)).toMatchObject({ code: 'management_plugin' });
      await caller.expectUnchanged();
    });
  });

  describe('install: rejected packages', () => {
    // One reset for all cases, because none of them may change the site and a reset of WordPress is slow.
    let before: Awaited<ReturnType<typeof resetAndRead>>;
    beforeAll(async () => {
      before = await resetAndRead();
    });
    const withFile = (name: string, more: Partial<ZipEntry> = {}) =>
      fresh([...pluginFiles('fresh', '1.0'), { name, content: 'x', ...more }]);
    const withPackage = (change: object) => {
      const item = fresh();
      return { ...item, package: { ...item.package, ...change } };
    };

    for (const [description, create] of [
      ['another hash', () => withPackage({ sha256: '0'.repeat(64) })],
      ['a larger size', () => withPackage({ size: 100_000 })],
      ['a smaller size', () => withPackage({ size: 10 })],
      ['another plugin', () => fresh(pluginFiles('other', '1.0'))],
      [
        'another plugin file',
        () => createPackagedItem('plugin', FRESH, '1.0', themeFiles('fresh', '1.0')),
      ],
      ['a newer version', () => fresh(pluginFiles('fresh', '1.1'))],
      ['an older version', () => fresh(pluginFiles('fresh', '0.9'))],
      [
        'another theme',
        () => createPackagedItem('theme', 'modern', '2.0', themeFiles('other', '2.0')),
      ],
      ['a file in a parent folder', () => withFile('../climbed.php')],
      [
        'a file in a parent folder, after another folder',
        () => withFile('fresh/../../climbed.php'),
      ],
      ['an absolute file', () => withFile('/tmp/steward-climbed.php')],
      ['a backslash', () => withFile('fresh\\..\\..\\climbed.php')],
      ['a drive letter', () => withFile('C:/climbed.php')],
      [
        'a symbolic link',
        () => withFile('fresh/link', { content: '/etc/passwd', unixMode: SYMLINK }),
      ],
      ['a zip bomb', () => withFile('fresh/zeros.txt', { content: Buffer.alloc(40_000_000) })],
      ['no files', () => fresh([])],
      [
        'a web page instead of a zip',
        () => ({ ...fresh(), package: server.publish(Buffer.from('<html>Not found</html>')) }),
      ],
      ['a URL on another server', () => withPackage({ url: 'http://127.0.0.1:1/fresh.zip' })],
      ['a URL that redirects', () => withPackage({ url: server.redirect(fresh().package.url) })],
      ['a URL that does not exist', () => withPackage({ url: `${server.url}/packages/none.zip` })],
    ] as [string, () => object][]) {
      it(`installs nothing from a package with ${description}`, async () => {
        const result = await sendOne('install', create());
        expect(result).toMatchObject({ success: false, code: 'package_rejected', new_version: '' });
        expect(result.error).toMatch(/\S/);
        await expectChanges(before, {});
      });
    }

    it('installs the right package afterwards', async () => {
      expect(await sendOne('install', fresh())).toMatchObject({ success: true });
    });
  });

  describe('install: from the public directory', () => {
    const { slug, file, version } = DIRECTORY_PLUGIN;

    it('installs the requested version and returns the plugin file, also when repeated', async () => {
      const before = await resetAndRead();
      for (const repeated of [{}, { old_version: version }]) {
        const result = await sendOne('install', { type: 'plugin', slug, version });
        const { name } = (await findReported(file)) ?? {};
        const expected = { slug, name, new_plugin: file, new_version: version, success: true };
        expect(result).toEqual({ ...expected, ...repeated });
      }
      await expectChanges(before, { plugins: { [file]: version } });
    });

    it('refuses an unknown slug and an unknown version', async () => {
      const before = await resetAndRead();
      for (const item of [
        { type: 'plugin', slug: 'unknown-plugin', version: '1.0' },
        { type: 'plugin', slug, version: '99.0' },
        { type: 'theme', slug: 'unknown-theme', version: '1.0' },
      ]) {
        const result = await sendOne('install', item);
        expect(result).toMatchObject({ success: false, code: 'item_not_found', new_version: '' });
      }
      await expectChanges(before, {});
    });
  });

  describe('install: 400 and 403', () => {
    const valid = { type: 'plugin', slug: 'first', version: '1.0' };
    const source = { url: 'https://panel.example.com/x', sha256: 'a'.repeat(64), size: 5 };
    const withSource = (change: object) => ({
      type: 'plugin',
      slug: FRESH,
      version: '1.0',
      package: { ...source, ...change },
    });

    it('names the invalid item and installs nothing', async () => {
      await reset();
      for (const [description, item] of [
        ['type core', { type: 'core', slug: 'core', version: '1.0' }],
        ['no version', { type: 'plugin', slug: 'fresh' }],
        ['a version that is a number', { type: 'plugin', slug: 'fresh', version: 1 }],
        ['a file as slug of the directory', { type: 'plugin', slug: FRESH, version: '1.0' }],
        ['a slug in a parent folder', { type: 'theme', slug: '../fresh', version: '1.0' }],
        ['a folder as slug of a package', { ...withSource({}), slug: 'fresh' }],
        [
          'a slug of a package in a parent folder',
          { ...withSource({}), slug: '../fresh/fresh.php' },
        ],
        ['a package that is null', { ...withSource({}), package: null }],
        ['a package that is a text', { ...withSource({}), package: 'https://example.com' }],
        ['no URL', withSource({ url: undefined })],
        ['a URL of a file', withSource({ url: 'file:///etc/passwd' })],
        ['a hash in upper case', withSource({ sha256: 'A'.repeat(64) })],
        ['no hash', withSource({ sha256: undefined })],
        ['a size of 0', withSource({ size: 0 })],
        ['a size that is a text', withSource({ size: '5' })],
        ['a size above the limit', withSource({ size: 10 ** 9 })],
        ['a duplicate', valid],
      ] as [string, object][]) {
        const response = await caller.call('install', { items: [valid, item] });
        expect([description, response.status, response.body.code]).toEqual([
          description,
          400,
          'invalid_items',
        ]);
        expect(response.body.error).toMatch(/items\[1\]|item 2\b/i);
      }
      for (const items of [undefined, null, [], {}, Array(INSTALL_ITEMS_MAX + 1).fill(valid)]) {
        caller.expectError(await caller.call('install', { items }), [400, 'invalid_items']);
      }
      expect((await caller.call('install', '[]')).status).toBe(400);
      await caller.expectUnchanged();
    });

    it('403 if the site allows no file changes', async () => {
      await reset({ fileChangesDisabled: true });
      const response = await caller.call('install', { items: [fresh()] });
      caller.expectError(response, [403, 'file_changes_disabled']);
      await caller.expectUnchanged();
    });

    it('401 for a package that the panel did not sign', async () => {
      await reset();
      const signed = caller.signatureFor('install', JSON.stringify({ items: [valid] }));
      const body = { items: [{ type: 'plugin', slug: FRESH, version: '1.0', package: source }] };
      caller.expectError(await caller.call('install', body, signed), [401, 'invalid_signature']);
    });
  });
}
