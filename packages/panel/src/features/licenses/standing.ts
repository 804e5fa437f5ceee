import { AppError } from '../../platform/app-error.ts';
import type { ActivationRecord } from './activations.repository.ts';
import type { RequestKey } from './identify.ts';
import { type ActivationState, type LicenseUsage, licenseView, verdictOf } from './license-view.ts';
import type { LicenseRecord } from './licenses.repository.ts';

/** What is known about a license key on a site at the moment it asks. */
export type Standing = {
  license: LicenseUsage;
  activation: (ActivationState & { tokenMatches: boolean }) | null;
};

export type ActiveStanding = Standing & { activation: ActivationState };

/**
 * Whether the plugin may run on a site. Fails closed, in this order: the key, the token, the
 * license, the site. A client may look at `success` alone.
 */
export function assertActive(
  standing: Standing | undefined,
  now: Date,
): asserts standing is ActiveStanding {
  if (!standing) throw new AppError('invalid_license_key');
  const { license, activation } = standing;
  if (activation?.tokenMatches === false) throw new AppError('invalid_activation_token');
  assertValid(license, now);
  if (activation?.status !== 'active') throw new AppError('site_not_activated');
}

/**
 * A site that has a key of its own is not spoken for with the license key, and one that has the new
 * license key not with the old one.
 */
export function assertKeyOfSite(
  key: RequestKey,
  license: Pick<LicenseRecord, 'key_hash'>,
  known: Pick<ActivationRecord, 'status' | 'site_key_hash' | 'key_ends_at'>,
  now: Date,
): void {
  if (known.status !== 'active' || key.isSiteKey) return;
  if (known.site_key_hash !== null) {
    throw new AppError('invalid_license_key', { internal: 'the site has a key of its own' });
  }
  if (!hasOldKey(known, now)) assertCurrentKey(key, license);
}

/** The site had the license key when it was replaced, and that one has not ended. */
export function hasOldKey(
  { key_ends_at }: Pick<ActivationRecord, 'key_ends_at'>,
  now: Date,
): boolean {
  return key_ends_at !== null && key_ends_at > now;
}

export function assertCurrentKey(
  key: RequestKey,
  { key_hash }: Pick<LicenseRecord, 'key_hash'>,
): void {
  if (isOldKey(key, key_hash)) throw new AppError('invalid_license_key', { message: REPLACED });
}

export function isOldKey({ isSiteKey, hash }: RequestKey, currentHash: Buffer): boolean {
  return !isSiteKey && !currentHash.equals(Buffer.from(hash, 'hex'));
}

const REPLACED = 'This license key was replaced. Use the new one.';

export function noSuchLicense(id: number): AppError {
  return new AppError('not_found', { message: `There is no license ${id}.` });
}

export function revokedForGood(id: number): AppError {
  return new AppError('license_revoked', {
    message: `License ${id} was revoked, and that is final. Create a new one.`,
  });
}

/** A refusal says how the license stands. */
export function assertValid(license: LicenseUsage, now: Date): void {
  const { code } = verdictOf(license, now);
  if (code !== null) throw new AppError(code, { details: { license: licenseView(license, now) } });
}
