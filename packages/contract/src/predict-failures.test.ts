import { describe, expect, it } from 'vitest';
import {
  type PendingItem,
  type PreflightFacts,
  predictFailures,
  type StoredPreflight,
  wouldFailCompletely,
} from './predict-failures.ts';

const NOW = new Date('2026-06-02T12:00:00Z');
const MEGABYTE = 1024 ** 2;
const shop: PendingItem = {
  type: 'plugin',
  slug: 'shop/shop.php',
  name: 'Shop',
  version: '2.0',
  active: true,
};
const plain: PendingItem = {
  type: 'theme',
  slug: 'plain',
  name: 'Plain',
  version: '1.2',
  active: false,
};
const needs = (requirement: object) => ({
  items: [{ type: shop.type, slug: shop.slug, version: shop.version, ...requirement }],
});

function predict(report: Partial<StoredPreflight> | null, facts: Partial<PreflightFacts> = {}) {
  const findings = predictFailures(
    {
      obstacle: null,
      unreachable: null,
      phpVersion: '8.2.7',
      cmsVersion: '6.5',
      report: report && { items: [], ...report },
      reportedAt: NOW,
      pending: [shop, plain],
      ...facts,
    },
    NOW,
  );
  return findings.map(({ reason, isCertain, items }) =>
    [reason, isCertain ? 'certain' : 'may', ...items.map(({ name }) => name)].join(' '),
  );
}

describe('predictFailures', () => {
  it('finds nothing on a site that is ready, and on a site without a report', () => {
    const report = { remote_enabled: true, file_changes: 'ok', free_bytes: 1e9, locked: false };
    expect(predict(report as StoredPreflight)).toEqual([]);
    expect(predict({ free_bytes: null })).toEqual([]);
    expect(predict(null)).toEqual([]);
  });

  it('finds the reasons why all updates of a site would fail', () => {
    expect(predict(null, { obstacle: 'license_invalid' })).toEqual(['site_not_active certain']);
    expect(predict({}, { obstacle: 'deactivated' })).toEqual(['site_not_active certain']);
    expect(predict({}, { obstacle: 'remote_off' })).toEqual(['remote_disabled certain']);
    expect(predict({ remote_enabled: false })).toEqual(['remote_disabled certain']);
    expect(predict({ file_changes: 'disabled' })).toEqual(['file_changes_disabled certain']);
  });

  it('is not certain of a state that may have changed', () => {
    expect(predict({ locked: true })).toEqual(['site_busy may']);
    expect(predict({}, { unreachable: 'The site did not respond.' })).toEqual([
      'not_reachable may',
    ]);
    const yesterday = new Date(NOW.getTime() - 24 * 3_600_000 - 1);
    expect(predict({ file_changes: 'disabled' }, { reportedAt: yesterday })).toEqual([
      'file_changes_disabled may',
    ]);
  });

  it('reports a folder that is not writable only for the items that need to write to it', () => {
    const not_writable = [{ type: 'theme' as const, folder: 'wp-content/themes' }];
    const report = { file_changes: 'not_writable' as const, not_writable };
    expect(predict(report)).toEqual(['folder_not_writable certain Plain']);
    expect(predict(report, { pending: [shop] })).toEqual([]);
    const root = { folder: 'public_html', active_only: true };
    const both = (['plugin', 'theme'] as const).map((type) => ({ type, ...root }));
    expect(predict({ ...report, not_writable: both })).toEqual([
      'folder_not_writable certain Shop',
    ]);
  });

  it.each([
    ['8.2', []],
    ['8.2.8', ['php_too_old certain Shop']],
    ['8.10', ['php_too_old certain Shop']],
    ['9', ['php_too_old certain Shop']],
    ['', []],
    ['any', []],
  ])('compares required PHP %s with 8.2.7', (requires_php, expected) => {
    expect(predict(needs({ requires_php }))).toEqual(expected);
  });

  it('compares the version of the CMS, and ignores versions of another platform', () => {
    expect(predict(needs({ requires: '6.5.0' }))).toEqual([]);
    expect(predict(needs({ requires: '6.6' }))).toEqual(['cms_too_old certain Shop']);
    expect(predict(needs({ requires: '6.6' }), { cmsVersion: '6.6-beta1' })).toEqual([]);
    expect(predict(needs({ requires_php: '9' }), { phpVersion: 'node-24.1' })).toEqual([]);
  });

  it('applies requirements only to the offered version that had them', () => {
    const report = needs({ missing_plugins: ['base'] });
    expect(predict(report)).toEqual(['plugin_missing certain Shop']);
    expect(predict(report, { pending: [{ ...shop, version: '2.1' }] })).toEqual([]);
  });

  it('is certain of disk space only if it knows the size, or the disk is full', () => {
    const pending = [shop];
    expect(predict({ free_bytes: 20 * MEGABYTE }, { pending })).toEqual(['disk_full may']);
    expect(predict({ free_bytes: 50 * MEGABYTE }, { pending })).toEqual([]);
    expect(predict({ free_bytes: 1000 }, { pending })).toEqual(['disk_full certain']);
    const known = (free_bytes: number) =>
      predict({ ...needs({ package_bytes: 5 * MEGABYTE }), free_bytes }, { pending });
    expect(known(14 * MEGABYTE)).toEqual(['disk_full certain']);
    expect(known(15 * MEGABYTE)).toEqual([]);
    expect(predict({ free_bytes: 0 }, { pending: [] })).toEqual([]);
  });
});

describe('wouldFailCompletely', () => {
  const finding = (items: PendingItem[]) =>
    ({ reason: 'php_too_old', isCertain: true, error: '', items }) as const;

  it('is true if the site or each item would fail', () => {
    expect(wouldFailCompletely([finding([])], [])).toBe(true);
    expect(wouldFailCompletely([finding([shop]), finding([plain])], [shop, plain])).toBe(true);
    expect(wouldFailCompletely([finding([shop])], [shop, plain])).toBe(false);
    expect(wouldFailCompletely([], [])).toBe(false);
  });
});
