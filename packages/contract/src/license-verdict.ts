/** The status of a license at a point in time. Pure, so that panel, screens and tests agree. */

export const STORED_LICENSE_STATUSES = ['active', 'suspended', 'revoked'] as const;
export type StoredLicenseStatus = (typeof STORED_LICENSE_STATUSES)[number];

export const LICENSE_STATUSES = ['active', 'inactive', 'expired', 'suspended', 'revoked'] as const;
export type LicenseStatus = (typeof LICENSE_STATUSES)[number];

export type LicenseFacts = {
  storedStatus: StoredLicenseStatus;
  expiresAt: Date | null;
  /** Connected sites, including those on a local or staging address. */
  activeSites: number;
};

export type LicenseRefusal = 'license_revoked' | 'license_suspended' | 'license_expired';

export type LicenseVerdict =
  | { status: 'active' | 'inactive'; valid: true; code: null }
  | { status: 'revoked' | 'suspended' | 'expired'; valid: false; code: LicenseRefusal };

type Check = (license: LicenseFacts, now: Date) => LicenseVerdict | null;

/** Checked in order. The first result decides. */
const CHECKS: Check[] = [
  ({ storedStatus }) =>
    storedStatus === 'revoked'
      ? { status: 'revoked', valid: false, code: 'license_revoked' }
      : null,
  ({ storedStatus }) =>
    storedStatus === 'suspended'
      ? { status: 'suspended', valid: false, code: 'license_suspended' }
      : null,
  ({ expiresAt }, now) =>
    expiresAt !== null && now >= expiresAt
      ? { status: 'expired', valid: false, code: 'license_expired' }
      : null,
  ({ activeSites }) => (activeSites > 0 ? { status: 'active', valid: true, code: null } : null),
];

export function evaluateLicense(license: LicenseFacts, now: Date): LicenseVerdict {
  for (const check of CHECKS) {
    const result = check(license, now);
    if (result) return result;
  }
  return { status: 'inactive', valid: true, code: null };
}
