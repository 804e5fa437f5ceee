import { createMemoryPlatform } from '@steward/testkit/sites/memory-platform.ts';
import { describe, expect, it } from 'vitest';
import { installItems } from './package-items.ts';

// The site refuses the items before it downloads a package.
const source = { url: 'https://panel.example.com/package', sha256: 'a'.repeat(64), size: 1 };

/** Installs one package on a site and returns its result. */
async function install(
  item: { type: 'plugin' | 'theme'; slug: string; version: string },
  installed: Record<string, string>,
) {
  const versions = Object.fromEntries(
    Object.entries(installed).map(([slug, version]) => [slug, { version }]),
  );
  const state = { plugins: {}, themes: {}, core: { version: '6.0' } };
  const platform = createMemoryPlatform({ ...state, [`${item.type}s`]: versions });
  const { results } = await installItems(platform, async () => {}, {
    items: [{ ...item, package: source }],
    panelUrl: null,
  });
  return results[`${item.type}s`][0];
}

const plugin = (slug: string, version: string) => ({ type: 'plugin' as const, slug, version });

describe('a package whose folder is in use', () => {
  it('names the version that is installed', async () => {
    expect(await install(plugin('shop/main.php', '1.0'), { 'shop/main.php': '2.0' })).toEqual({
      slug: 'shop/main.php',
      name: 'shop/main.php',
      old_version: '2.0',
      new_version: '2.0',
      success: false,
      error: 'Version 2.0 is already installed. Update it instead.',
      code: 'already_installed',
    });
  });

  it.each(['1.0', '2.0'])('names another plugin of version %s in the folder', async (version) => {
    expect(await install(plugin('shop/main.php', '1.0'), { 'shop/other.php': version })).toEqual({
      slug: 'shop/main.php',
      new_version: '',
      success: false,
      error: `The folder shop contains another plugin: shop/other.php, version ${version}. Delete it before you install this one.`,
      code: 'already_installed',
    });
  });

  it.each([
    [
      plugin('hello/hello.php', '1.0'),
      { 'hello.php': '1.7' },
      'The site has another plugin with this name: hello.php, version 1.7.',
    ],
    [
      { type: 'theme' as const, slug: 'Linen', version: '1.0' },
      { linen: '1.7' },
      'The folder linen contains another theme: linen, version 1.7.',
    ],
  ])('names what has the same name: %o', async (item, installed, error) => {
    expect(await install(item, installed)).toMatchObject({
      success: false,
      error: `${error} Delete it before you install this one.`,
    });
  });
});
