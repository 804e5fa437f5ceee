import { describe, expect, it } from 'vitest';
import { type SiteFacts, siteStatus, staleBefore } from '../src/index.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const RECENT = new Date('2026-06-01T00:00:00Z');
const LONG_AGO = new Date('2026-05-01T00:00:00Z');

describe('the status of a site', () => {
  const fine: SiteFacts = {
    activationStatus: 'active',
    licenseStatus: 'active',
    licenseExpiresAt: null,
    inventoryAt: RECENT,
    lastCheckAt: RECENT,
  };
  const cases: [string, Partial<SiteFacts>, string][] = [
    ['one that reports', {}, 'active'],
    ['one that only checks in', { inventoryAt: LONG_AGO }, 'active'],
    ['one that only reports', { lastCheckAt: null }, 'active'],
    ['one not heard of for long', { inventoryAt: LONG_AGO, lastCheckAt: LONG_AGO }, 'stale'],
    ['one that never checked in either', { inventoryAt: LONG_AGO, lastCheckAt: null }, 'stale'],
    ['just three days', { inventoryAt: staleBefore(NOW), lastCheckAt: null }, 'active'],
    ['one without a report', { inventoryAt: null }, 'never_reported'],
    ['a suspended license', { licenseStatus: 'suspended', inventoryAt: null }, 'license_invalid'],
    ['a license that ends now', { licenseExpiresAt: NOW }, 'license_invalid'],
    ['a deactivated site', { activationStatus: 'deactivated' }, 'deactivated'],
    [
      'a site of a revoked license',
      { activationStatus: 'deactivated', licenseStatus: 'revoked' },
      'deactivated',
    ],
  ];
  for (const [what, facts, expected] of cases) {
    it(`is ${expected} for ${what}`, () => {
      expect(siteStatus({ ...fine, ...facts }, NOW)).toBe(expected);
    });
  }
});
