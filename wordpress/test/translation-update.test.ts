import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

const UPDATED = '2026-01-01 00:00:00';
const wordpress = useUpdatedSite();
const languages = () => join(wordpress.site.root, 'wp-content/languages');
const updateTranslations = () => wordpress.update([{ type: 'translation', slug: 'all' }]);
const RESULT = { slug: 'all', name: 'Translations', old_version: '', new_version: '' };

async function offer(type: 'plugin' | 'theme' | 'core', slug: string, packageUrl?: string) {
  const prefix = type === 'core' ? '' : `${slug}-`;
  const created = wordpress.bed.packages.files(`language-${slug}.zip`, {
    [`${prefix}de_DE.po`]: `msgid ""\nmsgstr ""\n"PO-Revision-Date: ${UPDATED}+0000\\n"\n`,
    [`${prefix}de_DE.mo`]: 'no translations',
  });
  const url = packageUrl ?? (await created);
  return { type, slug, language: 'de_DE', updated: UPDATED, package: url };
}

beforeEach(async () => {
  await rm(languages(), { recursive: true, force: true });
});

describe('translations', () => {
  it('of plugins, themes and core are installed; other updates stay pending', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.offerTranslations([
      await offer('plugin', 'shop'),
      await offer('theme', 'plain'),
      await offer('core', 'default'),
    ]);
    const { success, results, errors } = await updateTranslations();
    expect([success, errors]).toEqual([true, []]);
    expect(results).toEqual({
      plugins: [],
      themes: [],
      core: null,
      translations: [{ ...RESULT, success: true }],
    });
    for (const path of ['plugins/shop-de_DE.mo', 'themes/plain-de_DE.mo', 'de_DE.mo']) {
      expect([path, existsSync(join(languages(), path))]).toEqual([path, true]);
    }
    expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
    await expectQuiet(wordpress.site);
  });

  it('succeed without a change when none is pending', async () => {
    const { success, results } = await updateTranslations();
    expect([success, results.translations]).toEqual([true, [{ ...RESULT, success: true }]]);
    expect(existsSync(languages())).toBe(false);
  });

  it('are not part of an update without items', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerTranslations([await offer('plugin', 'shop')]);
    expect((await wordpress.update()).results).toEqual({ plugins: [], themes: [], core: null });
    expect(existsSync(languages())).toBe(false);
  });

  it('fail when one package is broken, and the others are installed', async () => {
    await wordpress.plugin('alpha');
    await wordpress.plugin('shop');
    const notes = await wordpress.bed.packages.files('notes.zip', { 'notes.txt': 'no language' });
    await wordpress.offerTranslations([
      await offer('plugin', 'alpha', notes),
      await offer('plugin', 'shop'),
      await offer('theme', 'plain', `${wordpress.bed.packages.url}/missing.zip`),
    ]);
    const { success, results, errors } = await updateTranslations();
    expect(success).toBe(false);
    expect(results.translations).toEqual([
      {
        ...RESULT,
        success: false,
        error: expect.stringMatching(
          /\S These translations are still pending: alpha \(de_DE\), plain \(de_DE\)\.$/,
        ),
      },
    ]);
    expect(errors).toEqual([
      { type: 'translation', slug: 'all', error: results.translations?.[0]?.error },
    ]);
    expect(existsSync(join(languages(), 'plugins/shop-de_DE.mo'))).toBe(true);
    expect(await readdir(join(wordpress.site.root, 'wp-content/upgrade'))).toEqual([]);
    await expectQuiet(wordpress.site);
  });

  it('fail when they are still pending although WordPress reported success', async () => {
    await wordpress.plugin('shop');
    const empty = await wordpress.bed.packages.files('empty.zip', {
      'shop-de_DE.po': 'no date',
      'shop-de_DE.mo': 'no translations',
    });
    await wordpress.offerTranslations([await offer('plugin', 'shop', empty)]);
    const { results } = await updateTranslations();
    expect(results.translations).toMatchObject([
      { success: false, error: 'These translations are still pending: shop (de_DE).' },
    ]);
  });

  it('succeed with a system error when WordPress cannot check for updates afterwards', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerTranslations([await offer('plugin', 'shop')]);
    await wordpress.mustUse(
      `add_filter( 'pre_http_request', function ( $response, $request, $url ) {
        return strpos( $url, 'api.wordpress.org' ) ? new WP_Error( 'no', 'Not reachable.' ) : $response;
      }, 20, 3 );`,
    );
    const { success, results, errors } = await updateTranslations();
    expect([success, results.translations]).toEqual([true, [{ ...RESULT, success: true }]]);
    expect(errors).toMatchObject([{ type: 'system' }]);
  });

  it('are installed after the plugins of the same request', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.offerTranslations([await offer('plugin', 'shop')]);
    const { success, results } = await wordpress.update([
      { type: 'translation', slug: 'all' },
      { type: 'plugin', slug: file, version: '2.0' },
    ]);
    expect(success).toBe(true);
    expect(results.plugins).toMatchObject([{ slug: file, new_version: '2.0' }]);
    expect(results.translations).toMatchObject([{ success: true }]);
  });
});
