import type { UpdateItem } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { chooseItems, type InstalledItem } from './choose-items.ts';

const plugin = (slug: string, version?: string): UpdateItem => ({
  type: 'plugin',
  slug,
  ...(version !== undefined && { version }),
});
const installed = (slug: string, new_version: string | null = null): InstalledItem => ({
  type: 'plugin',
  slug,
  new_version,
});

describe('chooseItems', () => {
  it('takes the items that the site has and can update', () => {
    const requested = [plugin('a'), plugin('b'), plugin('c')];
    const onSite = [installed('a', '2'), installed('b'), installed('x', '9')];
    expect(chooseItems(requested, onSite)).toEqual([plugin('a')]);
  });

  it('takes the requested version that the site offers', () => {
    const requested = [plugin('a', '2'), plugin('a', '3')];
    expect(chooseItems(requested, [installed('a', '3')])).toEqual([plugin('a', '3')]);
    expect(chooseItems(requested, [installed('a', '2')])).toEqual([plugin('a', '2')]);
  });

  it('takes the spelling of the site, because 2.0 and 2.0.0 are the same version', () => {
    expect(chooseItems([plugin('a', '2.0.0')], [installed('a', '2.0')])).toEqual([
      plugin('a', '2.0'),
    ]);
    expect(chooseItems([plugin('a', '2.0 ')], [installed('a', '2.0')])).toEqual([
      plugin('a', '2.0'),
    ]);
  });

  it('leaves out an item that the site offers in a version that was not requested', () => {
    const requested = [plugin('a', '2'), plugin('b', '2')];
    const onSite = [installed('a', '3'), installed('b', '2')];
    expect(chooseItems(requested, onSite)).toEqual([plugin('b', '2')]);
  });

  it('keeps the requested version if the site offers only another one, so that the site refuses it', () => {
    expect(chooseItems([plugin('a', '2')], [installed('a', '3')])).toEqual([plugin('a', '2')]);
  });

  it('asks for installed items without an update only if nothing else is left', () => {
    expect(chooseItems([plugin('a', '2')], [installed('a')])).toEqual([plugin('a', '2')]);
    expect(chooseItems([plugin('a', '2')], [installed('b', '2')])).toEqual([]);
  });

  it('distinguishes a theme from a plugin with the same slug', () => {
    const theme: UpdateItem = { type: 'theme', slug: 'a' };
    expect(chooseItems([theme], [installed('a', '2')])).toEqual([]);
  });

  it('asks every site for its translations', () => {
    const translations: UpdateItem = { type: 'translation', slug: 'all' };
    expect(chooseItems([translations], [])).toEqual([translations]);
  });
});
