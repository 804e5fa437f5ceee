import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { plugin, theme } from './support/update-items.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

const FATAL = 'this_function_does_not_exist();';
const wordpress = useUpdatedSite();
const content = (...path: string[]) => join(wordpress.site.root, 'wp-content', ...path);

afterEach(async () => {
  expect(existsSync(content('upgrade')) ? await readdir(content('upgrade')) : []).toEqual([]);
  await expectQuiet(wordpress.site);
});

describe('requested items', () => {
  it('are updated in the order plugins, themes, core; other updates stay pending', async () => {
    for (const name of ['alpha', 'omega', 'zebra']) {
      await wordpress.plugin(name);
      await wordpress.offerPlugin(name);
    }
    await wordpress.offerTheme('plain');
    const core = await wordpress.site.coreVersion();
    const { success, results, errors } = await wordpress.update([
      { type: 'core', slug: 'core' },
      theme('plain', '2.0'),
      plugin('omega/omega.php', '2.0'),
      plugin('alpha/alpha.php'),
    ]);
    expect([success, errors]).toEqual([true, []]);
    const updated = { old_version: '1.0', new_version: '2.0', success: true };
    expect(results).toEqual({
      plugins: [
        { slug: 'omega/omega.php', name: 'omega', ...updated },
        { slug: 'alpha/alpha.php', name: 'alpha', ...updated },
      ],
      themes: [{ slug: 'plain', name: 'plain', ...updated }],
      core: { old_version: core, new_version: core, success: true },
    });
    expect((await wordpress.readInstalled()).plugins['zebra/zebra.php']).toBe('1.0');
    const { inventory } = await wordpress.site.lastReport();
    expect(inventory?.plugins).toContainEqual(
      expect.objectContaining({ plugin: 'zebra/zebra.php', version: '1.0', new_version: '2.0' }),
    );
  });

  it('are rolled back when they break the site, and the result contains it', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body: FATAL });
    const { success, results, errors } = await wordpress.update([plugin(file, '2.0')]);
    expect(success).toBe(false);
    expect(results.plugins).toEqual([
      {
        slug: file,
        name: 'shop',
        old_version: '1.0',
        new_version: '1.0',
        success: false,
        error: expect.stringMatching(/breaks the site.* Rolled back to version 1\.0\.$/),
        rolled_back: true,
      },
    ]);
    expect(errors).toEqual([{ type: 'plugin', slug: file, error: results.plugins[0]?.error }]);
    expect((await wordpress.readInstalled()).active).toEqual([file]);
    // The fatal errors of the new version are expected.
    await wordpress.site.clearDebugLog();
  });

  it('are refused one by one, and the others are updated', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const changed = await wordpress.plugin('changed');
    await wordpress.offerPlugin('changed');
    const unlisted = await wordpress.plugin('unlisted');
    const { success, results, errors } = await wordpress.update([
      plugin(changed, '1.5'),
      plugin('gone/gone.php', '2.0'),
      plugin(STEWARD),
      plugin(unlisted, '2.0'),
      plugin(file, '2.0'),
      theme('gone'),
      { type: 'core', slug: 'core', version: '99.0' },
    ]);
    expect(success).toBe(false);
    expect(results.plugins.map(({ slug, code, new_version }) => [slug, code, new_version])).toEqual(
      [
        [changed, 'offer_changed', '1.0'],
        ['gone/gone.php', 'item_not_found', ''],
        [STEWARD, 'management_plugin', '0.1.0'],
        [unlisted, 'offer_changed', '1.0'],
        [file, undefined, '2.0'],
      ],
    );
    expect(results.plugins[0]?.error).toContain('now offers version 2.0, not 1.5');
    expect(results.plugins[3]?.error).toContain('no longer offers version 2.0');
    expect(results.themes).toMatchObject([{ slug: 'gone', code: 'item_not_found' }]);
    const core = await wordpress.site.coreVersion();
    expect(results.core).toEqual({
      old_version: core,
      new_version: core,
      success: false,
      code: 'offer_changed',
    });
    expect(errors.map(({ type, slug }) => [type, slug])).toEqual([
      ['plugin', changed],
      ['plugin', 'gone/gone.php'],
      ['plugin', STEWARD],
      ['plugin', unlisted],
      ['theme', 'gone'],
      ['core', null],
    ]);
  });

  it('are described in full, also for a panel that gets no details of other updates', async () => {
    await wordpress.site.connect({ panelCapabilities: [] });
    await wordpress.plugin('alpha');
    const file = await wordpress.plugin('shop');
    for (const name of ['alpha', 'shop']) await wordpress.offerPlugin(name);
    expect((await wordpress.update([plugin(file)])).results.plugins).toEqual([
      { slug: file, name: 'shop', old_version: '1.0', new_version: '2.0', success: true },
    ]);
    await wordpress.site.connect({ panelCapabilities: [] });
    expect((await wordpress.update()).results.plugins).toEqual([
      { slug: 'alpha/alpha.php', new_version: '2.0', success: true },
    ]);
    await wordpress.site.connect();
  });
});

describe('invalid lists', () => {
  it('are refused before the site lock, also if the JSON has another content type', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const send = async (body: string) => {
      const response = await fetch(`${wordpress.site.url}/wp-json/service/v1/remote/update`, {
        method: 'POST',
        headers: { 'X-Service-Key': wordpress.site.key, 'content-type': 'text/plain' },
        body,
      });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    const deep = `{"items":${'['.repeat(600)}${']'.repeat(600)}}`;
    for (const body of [
      '{"items":[{"type":"plugin"',
      deep,
      '{"items":{"0":{}}}',
      '{"items":null}',
    ]) {
      expect([body.slice(0, 20), ...(await send(body))]).toEqual([
        body.slice(0, 20),
        400,
        'invalid_items',
      ]);
    }
    expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
    const items = JSON.stringify({ items: [plugin(file, '2.0')] });
    expect(await send(items)).toEqual([200, undefined]);
    expect((await wordpress.readInstalled()).plugins[file]).toBe('2.0');
  });
});
