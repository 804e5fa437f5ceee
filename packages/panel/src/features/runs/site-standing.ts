import { type StoredLicenseStatus, verdict } from '@steward/contract';

/** What decides whether the panel may call a site with its license key. */
export type SiteStanding = {
  activation_status: string | null;
  license_status: StoredLicenseStatus | null;
  expires_at: Date | null;
};

/** A license key leaves the panel only to a site it is active on, and only while it is valid. */
export function isActive(
  { activation_status, license_status, expires_at }: SiteStanding,
  now: Date,
): boolean {
  if (activation_status !== 'active' || license_status === null) return false;
  const facts = { storedStatus: license_status, expiresAt: expires_at, activeSites: 1 };
  return verdict(facts, now).valid;
}
