import { describe, expect, it } from 'vitest';
import { assertNewSiteLeft } from './assert-new-site-left.ts';

describe('assertNewSiteLeft()', () => {
  const now = new Date('2026-06-01T12:00:00Z');
  const unlimited = { id: 1, site_limit: null, new_sites: 3, new_sites_day: '2026-06-01' };
  const isRefused = (license: Parameters<typeof assertNewSiteLeft>[0]) => {
    try {
      assertNewSiteLeft(license, now, 3);
      return false;
    } catch {
      return true;
    }
  };

  it.each([
    ['refuses after the last new site of the day', unlimited, true],
    ['accepts before', { ...unlimited, new_sites: 2 }, false],
    ['accepts on the next day', { ...unlimited, new_sites_day: '2026-05-31' }, false],
    ['accepts the first new site', { ...unlimited, new_sites: 0, new_sites_day: null }, false],
    ['leaves a license with a site limit to its seats', { ...unlimited, site_limit: 5 }, false],
  ])('%s', (_name, license, refused) => {
    expect(isRefused(license)).toBe(refused);
  });
});
