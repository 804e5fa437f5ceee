import { AppError } from '../../platform/app-error.ts';
import { judgeKey, type KeyVerdict, type LicenseKeys, type SiteKeys } from './key-rule.ts';
import { type ActivationState, type LicenseUsage, toLicense, verdictOf } from './license-view.ts';
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

/** Throws unless `check`, `verify` and `deactivate` accept the key. A site key has been compared when it was looked up. */
export function assertKeyOfSite(
  key: RequestKey,
  license: LicenseKeys,
  activation: SiteKeys,
  now: Date,
): void {
  if (!key.isSiteKey) assertAccepted(judgeKey(key, license, activation, now));
}

const REFUSED_KEYS = {
  unknown: {},
  replaced: { message: 'This license key was replaced. Use the new one.' },
  site_has_own_key: { internal: 'the site has a site key' },
};

export function assertAccepted(verdict: KeyVerdict): void {
  if (verdict !== 'accepted') throw new AppError('invalid_license_key', REFUSED_KEYS[verdict]);
}

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
