import { AppError } from '../../lib/app-error.ts';
import type { ActivationRecord } from './activations.repository.ts';
import { type ActivationState, type LicenseUsage, licenseView, verdictOf } from './license-view.ts';

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

/** A site that has a key of its own is not spoken for with the license key. */
export function assertKeyOfSite(
  key: { isSiteKey: boolean },
  known: Pick<ActivationRecord, 'status' | 'site_key_hash'>,
): void {
  if (known.status !== 'active' || known.site_key_hash === null || key.isSiteKey) return;
  throw new AppError('invalid_license_key', { internal: 'the site has a key of its own' });
}

/** A refusal says how the license stands. */
export function assertValid(license: LicenseUsage, now: Date): void {
  const { code } = verdictOf(license, now);
  if (code !== null) throw new AppError(code, { details: { license: licenseView(license, now) } });
}
