import { describe, expect, it } from 'vitest';
import { chooseSavedVersions } from './choose-saved-versions.ts';

const plugin = (slug: string, version: string) => ({ type: 'plugin' as const, slug, version });

describe('chooseSavedVersions', () => {
  it('takes the version that the site replaced last, also if it is older than another saved version', () => {
    const saved = [plugin('a', '1.0'), plugin('a', '2.0')];
    const requested = [plugin('a', '2.0'), plugin('a', '1.0')];
    expect(chooseSavedVersions(requested, saved)).toEqual([plugin('a', '1.0')]);
  });

  it('takes only requested versions, one of each item', () => {
    const saved = [plugin('a', '3.0'), plugin('a', '2.0'), plugin('b', '1.0'), plugin('c', '1.0')];
    const requested = [plugin('a', '2.0'), plugin('b', '1.0'), plugin('c', '2.0')];
    expect(chooseSavedVersions(requested, saved)).toEqual([plugin('a', '2.0'), plugin('b', '1.0')]);
  });

  it('takes the spelling of the site, because 2.0 and 2.0.0 are the same version', () => {
    expect(chooseSavedVersions([plugin('a', '2.0.0')], [plugin('a', '2.0')])).toEqual([
      plugin('a', '2.0'),
    ]);
  });
});
