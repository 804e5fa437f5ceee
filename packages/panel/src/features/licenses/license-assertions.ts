import { AppError } from '../../platform/app-error.ts';
import type { ActivationRecord } from './activations.repository.ts';
import { type ActivationState, type LicenseUsage, toLicense, verdictOf } from './license-view.ts';
import type { LicenseRecord } from './licenses.repository.ts';
import type { RequestKey } from './parse-request.ts';

/** A license and its activation on one site. */
export type LicenseOnSite = {
  license: LicenseUsage;
  activation: (ActivationState & { tokenMatches: boolean }) | null;
};

export type ActiveLicenseOnSite = LicenseOnSite & { activation: ActivationState };

/**
 * Throws unless the license is valid and active on the site. Checks the key first, then the token, the license and the
 * site; the client gets the first error. In `check` and `verify`, `success: true` therefore means an active license.
 */
export function assertActive(
  licenseOnSite: LicenseOnSite | undefined,
  now: Date,
): asserts licenseOnSite is ActiveLicenseOnSite {
  if (!licenseOnSite) throw new AppError('invalid_license_key');
  const { license, activation } = licenseOnSite;
  if (activation?.tokenMatches === false) throw new AppError('invalid_activation_token');
  assertValid(license, now);
  if (activation?.status !== 'active') throw new AppError('site_not_activated');
}

/** A site with a site key must not use the license key. A site with the new license key must not use the old one. */
export function assertKeyOfSite(
  key: RequestKey,
  license: Pick<LicenseRecord, 'key_hash'>,
  activation: Pick<ActivationRecord, 'status' | 'site_key_hash' | 'key_ends_at'>,
  now: Date,
): void {
  if (activation.status !== 'active' || key.isSiteKey) return;
  if (activation.site_key_hash !== null) {
    throw new AppError('invalid_license_key', { internal: 'the site has a site key' });
  }
  if (!hasOldKey(activation, now)) assertCurrentKey(key, license);
}

/** The site still uses the old license key, and that key has not expired. */
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
  if (isOldKey(key, key_hash))
    throw new AppError('invalid_license_key', { message: KEY_REPLACED_MESSAGE });
}

export function isOldKey(
  { isSiteKey, isEnrolmentCode, hash }: RequestKey,
  currentHash: Buffer,
): boolean {
  return !isSiteKey && !isEnrolmentCode && !currentHash.equals(Buffer.from(hash, 'hex'));
}

const KEY_REPLACED_MESSAGE = 'This license key was replaced. Use the new one.';

export function licenseNotFoundError(id: number): AppError {
  return new AppError('not_found', { message: `License ${id} does not exist.` });
}

export function licenseRevokedError(id: number): AppError {
  return new AppError('license_revoked', {
    message: `License ${id} is revoked, which cannot be undone. Create a new license.`,
  });
}

/** The error contains the license, so that the client can show its status. */
export function assertValid(license: LicenseUsage, now: Date): void {
  const { code } = verdictOf(license, now);
  if (code !== null) throw new AppError(code, { details: { license: toLicense(license, now) } });
}
