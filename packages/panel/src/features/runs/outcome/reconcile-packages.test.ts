import type { Inventory } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import type { LostCall } from './reconcile.ts';
import { reconcileInstall, reconcileRestore, reconcileSelfUpdate } from './reconcile-packages.ts';

const LOST: LostCall = { http_status: null, code: 'site_timeout', error: 'Too slow.' };
const report = (
  plugins: Record<string, string>,
  themes: Record<string, string> = {},
): Inventory => ({
  plugins: Object.entries(plugins).map(([plugin, version]) => ({
    plugin,
    name: `Name of ${plugin}`,
    version,
    active: true,
  })),
  themes: Object.entries(themes).map(([slug, version]) => ({
    slug,
    name: slug,
    version,
    active: false,
  })),
  core: { version: '6.0' },
});
const SHOP = 'shop/shop.php';
const shop = (version: string) => ({ type: 'plugin' as const, slug: SHOP, version });

describe('reconcileInstall', () => {
  it('succeeds if all items are installed in the requested version', () => {
    const items = [shop('1.0'), { type: 'theme' as const, slug: 'plain', version: '2.0' }];
    const after = report({ [SHOP]: '1.0' }, { plain: '2.0' });
    expect(reconcileInstall(LOST, items, report({}), after)).toMatchObject({
      status: 'succeeded',
      code: null,
      counts: { plugins: { updated: 1 }, themes: { updated: 1 } },
    });
  });

  it('finds a plugin of the public directory by its folder', () => {
    const items = [{ type: 'plugin' as const, slug: 'shop', version: '1.0' }];
    const result = reconcileInstall(LOST, items, null, report({ 'shop/main.php': '1.0' }));
    expect(result.details?.results.plugins).toEqual([
      {
        slug: 'shop',
        name: 'Name of shop/main.php',
        new_plugin: 'shop/main.php',
        new_version: '1.0',
        success: true,
      },
    ]);
  });

  it.each([
    ['is not installed', report({})],
    ['has another version', report({ [SHOP]: '0.9' })],
    ['has the folder of a theme', report({}, { shop: '1.0' })],
  ])('fails if the item %s', (_, after) => {
    expect(reconcileInstall(LOST, [shop('1.0')], report({}), after)).toMatchObject({
      status: 'failed',
      code: 'site_timeout',
      error: 'Too slow. Steward checked the site: nothing was installed. Try again.',
      details: { success: false, errors: [{ type: 'plugin', slug: SHOP }] },
    });
  });
});

describe('reconcileRestore', () => {
  it('succeeds if the site has the requested version, and is partial if only some items have it', () => {
    const before = report({ [SHOP]: '2.0' }, { plain: '2.0' });
    const items = [shop('1.0'), { type: 'theme' as const, slug: 'plain', version: '1.0' }];
    const done = report({ [SHOP]: '1.0' }, { plain: '1.0' });
    expect(reconcileRestore(LOST, items, before, done)).toMatchObject({
      status: 'succeeded',
      details: { results: { plugins: [{ old_version: '2.0', new_version: '1.0' }] } },
    });
    const half = report({ [SHOP]: '1.0' }, { plain: '2.0' });
    expect(reconcileRestore(LOST, items, before, half)).toMatchObject({
      status: 'partial',
      error: expect.stringContaining('some previous versions were restored'),
    });
  });
});

describe('reconcileSelfUpdate', () => {
  const steward = (version: string) => report({ 'steward/steward.php': version });

  it('succeeds if the version of the Steward plugin changed', () => {
    expect(reconcileSelfUpdate(LOST, steward('1.0'), steward('1.1'))).toMatchObject({
      status: 'succeeded',
      details: { results: { plugins: [{ old_version: '1.0', new_version: '1.1' }] } },
    });
  });

  it.each([
    ['the version is the same', steward('1.0'), steward('1.0')],
    ['the version before is not known', null, steward('1.1')],
    ['the site does not report the plugin', steward('1.0'), report({})],
  ])('is unknown if %s', (_, before, after) => {
    expect(reconcileSelfUpdate(LOST, before, after)).toMatchObject({
      status: 'unknown',
      code: 'site_timeout',
      hasRespondedSince: true,
    });
  });
});
