import { describe, expect, it } from 'vitest';
import { remoteObstacle, type SiteFacts, siteStatus, staleBefore } from './index.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const RECENT = new Date('2026-06-01T00:00:00Z');
const LONG_AGO = new Date('2026-05-01T00:00:00Z');

const fine: SiteFacts = {
  activationStatus: 'active',
  licenseStatus: 'active',
  licenseExpiresAt: null,
  services: ['remote'],
  alarm: null,
  fault: null,
  pendingTotal: 0,
  inventoryAt: RECENT,
  lastCheckAt: RECENT,
};

describe('the status of a site', () => {
  const old = { inventoryAt: LONG_AGO, lastCheckAt: LONG_AGO };
  const cases: [string, Partial<SiteFacts>, string][] = [
    ['one that reports', {}, 'up_to_date'],
    ['one that only checks in', { inventoryAt: LONG_AGO }, 'up_to_date'],
    ['one that only reports', { lastCheckAt: null }, 'up_to_date'],
    ['one not heard of for long', old, 'stale'],
    ['one that never checked in either', { inventoryAt: LONG_AGO, lastCheckAt: null }, 'stale'],
    ['just three days', { inventoryAt: staleBefore(NOW), lastCheckAt: null }, 'up_to_date'],
    ['one without a report', { inventoryAt: null }, 'never_synced'],
    ['one with something pending', { pendingTotal: 1 }, 'updates'],
    ['one not heard of, with something pending', { ...old, pendingTotal: 1 }, 'updates'],
    ['one with an alarm', { alarm: 'foreign_call', fault: 'failing', pendingTotal: 2 }, 'alarm'],
    ['one whose last action failed', { fault: 'failing', pendingTotal: 2 }, 'failing'],
    ['one that could not be reached', { fault: 'not_reachable', ...old }, 'not_reachable'],
    ['one that was never reached', { fault: 'not_reachable', inventoryAt: null }, 'not_reachable'],
    ['one that said so', { fault: 'remote_off', pendingTotal: 2 }, 'remote_off'],
    ['a license without Remote', { services: ['backup'], fault: 'failing' }, 'remote_off'],
    ['a suspended license', { licenseStatus: 'suspended', fault: 'failing' }, 'license_invalid'],
    ['a license that ends now', { licenseExpiresAt: NOW, services: [] }, 'license_invalid'],
    ['a deactivated site', { activationStatus: 'deactivated', pendingTotal: 1 }, 'deactivated'],
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

describe('what stands in the way of a call to a site', () => {
  it('is nothing where only the site itself has refused or failed: it may be tried again', () => {
    for (const fault of ['failing', 'not_reachable', 'remote_off'] as const) {
      const facts = { ...fine, fault };
      expect(remoteObstacle(facts, NOW)).toBeNull();
    }
  });

  it('is what the panel knows without asking the site', () => {
    expect(remoteObstacle({ ...fine, services: [] }, NOW)).toBe('remote_off');
    expect(remoteObstacle({ ...fine, licenseStatus: 'revoked' }, NOW)).toBe('license_invalid');
    expect(remoteObstacle({ ...fine, activationStatus: 'deactivated' }, NOW)).toBe('deactivated');
  });
});
