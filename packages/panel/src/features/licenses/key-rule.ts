import { type ActivationStatus, isKeyExpired } from '@steward/contract';

/** The key of a request. `hash` is in hex. */
type GivenKey = { hash: string; isSiteKey: boolean; isEnrolmentCode?: true };

/** The keys of a license. A rotation keeps the old key valid until `old_key_ends_at`. */
export type LicenseKeys = {
  key_hash: Buffer;
  old_key_hash: Buffer | null;
  old_key_ends_at: Date | null;
};

/** The keys of a site. `key_ends_at`: the site uses the old license key, until then. */
export type SiteKeys = {
  status: ActivationStatus;
  site_key_hash: Buffer | null;
  key_ends_at: Date | null;
};

export type KeyVerdict = 'accepted' | 'unknown' | 'replaced' | 'site_has_own_key';

/**
 * Decides whether `check`, `verify` and `deactivate` accept a key for a site. `site`: null if the license was never active
 * on it. The statement of the check-ins decides the same in SQL; a test compares the two.
 */
export function judgeKey(
  key: GivenKey,
  license: LicenseKeys,
  site: SiteKeys | null,
  now: Date,
): KeyVerdict {
  if (key.isSiteKey) return isSameHash(site?.site_key_hash, key) ? 'accepted' : 'unknown';
  const kind = findLicenseKeyKind(key, license, now);
  if (kind === null) return 'unknown';
  if (site?.status !== 'active') return 'accepted';
  if (site.site_key_hash !== null) return 'site_has_own_key';
  return kind === 'current' || usesOldKey(site, now) ? 'accepted' : 'replaced';
}

/**
 * Decides whether `activate` accepts a key for a site. The license key also enrols a site again that has a site key, but the
 * old license key connects no other site than those that use it.
 */
export function judgeKeyForActivation(
  key: GivenKey,
  license: LicenseKeys,
  site: SiteKeys | null,
  now: Date,
): KeyVerdict {
  if (key.isEnrolmentCode) return 'accepted';
  if (key.isSiteKey) return judgeKey(key, license, site, now);
  const kind = findLicenseKeyKind(key, license, now);
  if (kind === null) return 'unknown';
  const mayUseOldKey = site?.status === 'active' && usesOldKey(site, now);
  return kind === 'current' || mayUseOldKey ? 'accepted' : 'replaced';
}

/** Null: the license has no such key, or the old key has expired. */
export function findLicenseKeyKind(
  key: Pick<GivenKey, 'hash'>,
  license: LicenseKeys,
  now: Date,
): 'current' | 'old' | null {
  if (isSameHash(license.key_hash, key)) return 'current';
  const isOldKey = isSameHash(license.old_key_hash, key) && isOldKeyValid(license, now);
  return isOldKey ? 'old' : null;
}

/** The site used the old license key before and now uses the new one. The check-ins decide this in SQL too. */
export function hasSwitchedKey(
  key: GivenKey,
  license: LicenseKeys,
  site: Pick<SiteKeys, 'key_ends_at'>,
  now: Date,
): boolean {
  const isCurrent = !key.isSiteKey && findLicenseKeyKind(key, license, now) === 'current';
  return isCurrent && site.key_ends_at !== null;
}

export const isOldKeyValid = (license: Pick<LicenseKeys, 'old_key_ends_at'>, now: Date) =>
  isAfter(license.old_key_ends_at, now);

/** The site still uses the old license key, and that key has not expired. */
const usesOldKey = (site: SiteKeys, now: Date) => isAfter(site.key_ends_at, now);

/** Whether the key that the panel has for a site has expired, so that the site refuses it. */
export const hasExpiredKey = (site: Pick<SiteKeys, 'key_ends_at'>, now: Date) =>
  isKeyExpired(site.key_ends_at, now);

const isAfter = (endsAt: Date | null, now: Date) => endsAt !== null && endsAt > now;

const isSameHash = (stored: Buffer | null | undefined, { hash }: Pick<GivenKey, 'hash'>) =>
  stored?.equals(Buffer.from(hash, 'hex')) ?? false;
