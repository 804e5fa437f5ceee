import { describe, expect, it } from 'vitest';
import { noContactBefore, remoteObstacle, type SiteFacts, siteStatus } from './index.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const RECENT = new Date('2026-06-01T00:00:00Z');
const LONG_AGO = new Date('2026-05-01T00:00:00Z');

const healthy: SiteFacts = {
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

describe('siteStatus', () => {
  const old = { inventoryAt: LONG_AGO, lastCheckAt: LONG_AGO };
  const cases: [string, Partial<SiteFacts>, string][] = [
    ['a site that reports', {}, 'up_to_date'],
    ['a site that only checks in', { inventoryAt: LONG_AGO }, 'up_to_date'],
    ['a site that only reports', { lastCheckAt: null }, 'up_to_date'],
    ['a site without contact for a month', old, 'stale'],
    [
      'a site with an old report and no check-in',
      { inventoryAt: LONG_AGO, lastCheckAt: null },
      'stale',
    ],
    [
      'a site without contact for exactly three days',
      { inventoryAt: noContactBefore(NOW), lastCheckAt: null },
      'up_to_date',
    ],
    ['a site without a report', { inventoryAt: null }, 'never_synced'],
    ['a site with a pending update', { pendingTotal: 1 }, 'updates'],
    ['a site without contact, with a pending update', { ...old, pendingTotal: 1 }, 'updates'],
    ['a site with an alarm', { alarm: 'foreign_call', fault: 'failing', pendingTotal: 2 }, 'alarm'],
    ['a site whose last action failed', { fault: 'failing', pendingTotal: 2 }, 'failing'],
    ['a site that could not be reached', { fault: 'not_reachable', ...old }, 'not_reachable'],
    [
      'a site that was never reached',
      { fault: 'not_reachable', inventoryAt: null },
      'not_reachable',
    ],
    ['a site that refused remote calls', { fault: 'remote_off', pendingTotal: 2 }, 'remote_off'],
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
  for (const [description, facts, expected] of cases) {
    it(`is ${expected} for ${description}`, () => {
      expect(siteStatus({ ...healthy, ...facts }, NOW)).toBe(expected);
    });
  }
});

describe('remoteObstacle', () => {
  it('is null after a refusal or failure of the site, so that the panel may retry', () => {
    for (const fault of ['failing', 'not_reachable', 'remote_off'] as const) {
      const facts = { ...healthy, fault };
      expect(remoteObstacle(facts, NOW)).toBeNull();
    }
  });

  it('names an obstacle that the panel knows without a call', () => {
    expect(remoteObstacle({ ...healthy, services: [] }, NOW)).toBe('remote_off');
    expect(remoteObstacle({ ...healthy, licenseStatus: 'revoked' }, NOW)).toBe('license_invalid');
    expect(remoteObstacle({ ...healthy, activationStatus: 'deactivated' }, NOW)).toBe(
      'deactivated',
    );
  });
});
