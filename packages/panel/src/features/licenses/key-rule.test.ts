import { describe, expect, it } from 'vitest';
import {
  findLicenseKeyKind,
  hasExpiredKey,
  hasSwitchedKey,
  judgeKey,
  judgeKeyForActivation,
  type KeyVerdict,
  type LicenseKeys,
  type SiteKeys,
} from './key-rule.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const [EXPIRED, VALID] = [NOW, new Date(NOW.getTime() + 1)];
const [CURRENT, OLD, SITE, OTHER] = ['11', '22', '33', '44'];
const bytes = (hash: string) => Buffer.from(hash, 'hex');

const licenseKey = (hash: string) => ({ hash, isSiteKey: false });
const siteKey = (hash: string) => ({ hash, isSiteKey: true });
const code = { hash: OTHER, isSiteKey: false, isEnrolmentCode: true as const };

const neverRotated: LicenseKeys = {
  ...{ key_hash: bytes(CURRENT), old_key_hash: null, old_key_ends_at: null },
};
const rotated = { ...neverRotated, old_key_hash: bytes(OLD), old_key_ends_at: VALID };
const rotatedLongAgo = { ...rotated, old_key_ends_at: EXPIRED };

const site = (fields: Partial<SiteKeys>): SiteKeys => ({
  ...{ status: 'active', site_key_hash: null, key_ends_at: null },
  ...fields,
});
const withCurrentKey = site({});
const withOldKey = site({ key_ends_at: VALID });
const withExpiredKey = site({ key_ends_at: EXPIRED });
const withSiteKey = site({ site_key_hash: bytes(SITE) });
const disconnected = site({ status: 'deactivated' });
const disconnectedWithSiteKey = site({ status: 'deactivated', site_key_hash: bytes(SITE) });

type Vector = [
  string,
  Parameters<typeof judgeKey>[0],
  LicenseKeys,
  SiteKeys | null,
  verdict: KeyVerdict,
  forActivation: KeyVerdict,
];

const VECTORS: Vector[] = [
  ['an unknown key', licenseKey(OTHER), rotated, withCurrentKey, 'unknown', 'unknown'],
  ['the license key', licenseKey(CURRENT), neverRotated, withCurrentKey, 'accepted', 'accepted'],
  ['the license key, new site', licenseKey(CURRENT), rotated, null, 'accepted', 'accepted'],
  ['the new key of a rotation', licenseKey(CURRENT), rotated, withOldKey, 'accepted', 'accepted'],
  ['the old key, site uses it', licenseKey(OLD), rotated, withOldKey, 'accepted', 'accepted'],
  [
    'the old key, ended on the site',
    licenseKey(OLD),
    rotated,
    withExpiredKey,
    'replaced',
    'replaced',
  ],
  [
    'the old key, site has the new one',
    licenseKey(OLD),
    rotated,
    withCurrentKey,
    'replaced',
    'replaced',
  ],
  [
    'the old key, disconnected site',
    licenseKey(OLD),
    rotated,
    disconnected,
    'accepted',
    'replaced',
  ],
  ['the old key, new site', licenseKey(OLD), rotated, null, 'accepted', 'replaced'],
  ['the old key, expired', licenseKey(OLD), rotatedLongAgo, withOldKey, 'unknown', 'unknown'],
  [
    'the license key, site has its own',
    licenseKey(CURRENT),
    rotated,
    withSiteKey,
    'site_has_own_key',
    'accepted',
  ],
  [
    'the old key, site has its own',
    licenseKey(OLD),
    rotated,
    withSiteKey,
    'site_has_own_key',
    'replaced',
  ],
  [
    'the license key, site had its own',
    licenseKey(CURRENT),
    rotated,
    disconnectedWithSiteKey,
    'accepted',
    'accepted',
  ],
  ['the site key', siteKey(SITE), rotated, withSiteKey, 'accepted', 'accepted'],
  [
    'the site key of a disconnected site',
    siteKey(SITE),
    rotated,
    disconnectedWithSiteKey,
    'accepted',
    'accepted',
  ],
  ['another site key', siteKey(OTHER), rotated, withSiteKey, 'unknown', 'unknown'],
  ['a site key, site has none', siteKey(SITE), rotated, withCurrentKey, 'unknown', 'unknown'],
  ['a site key, new site', siteKey(SITE), rotated, null, 'unknown', 'unknown'],
  [
    'the license key, sent as a site key',
    siteKey(CURRENT),
    rotated,
    withCurrentKey,
    'unknown',
    'unknown',
  ],
];

describe('judgeKey', () => {
  it.each(VECTORS)('%s', (_, key, license, ofSite, verdict) =>
    expect(judgeKey(key, license, ofSite, NOW)).toBe(verdict),
  );
});

describe('judgeKeyForActivation', () => {
  it.each(VECTORS)('%s', (_, key, license, ofSite, __, verdict) =>
    expect(judgeKeyForActivation(key, license, ofSite, NOW)).toBe(verdict),
  );

  it('accepts an enrolment code, which is no key of the license', () =>
    expect(judgeKeyForActivation(code, rotated, withSiteKey, NOW)).toBe('accepted'));
});

describe('findLicenseKeyKind', () => {
  it.each([
    [CURRENT, neverRotated, 'current'],
    [OLD, rotated, 'old'],
    [OLD, rotatedLongAgo, null],
    [OLD, neverRotated, null],
  ])('%s', (hash, license, kind) => expect(findLicenseKeyKind({ hash }, license, NOW)).toBe(kind));
});

describe('hasSwitchedKey', () => {
  it.each([
    ['the new key after the old one', licenseKey(CURRENT), withOldKey, true],
    ['the new key after an expired one', licenseKey(CURRENT), withExpiredKey, true],
    ['the new key again', licenseKey(CURRENT), withCurrentKey, false],
    ['the old key', licenseKey(OLD), withOldKey, false],
    ['a site key', siteKey(CURRENT), withOldKey, false],
  ])('%s', (_, key, ofSite, expected) =>
    expect(hasSwitchedKey(key, rotated, ofSite, NOW)).toBe(expected),
  );
});

describe('hasExpiredKey', () => {
  it('is true from the time when the old key on the site ends', () =>
    expect(
      [withExpiredKey, withOldKey, withCurrentKey].map((each) => hasExpiredKey(each, NOW)),
    ).toEqual([true, false, false]));
});
