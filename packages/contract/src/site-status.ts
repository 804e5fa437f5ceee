import { type StoredLicenseStatus, verdict } from './license-verdict.ts';

/** How a site stands, for the panel. Pure, so that lists, filters and screens agree. */

export const SITE_STATUSES = [
  'active',
  'stale',
  'never_reported',
  'license_invalid',
  'deactivated',
] as const;
export type SiteStatus = (typeof SITE_STATUSES)[number];

/** Sites check in twice a day, or once while the panel is busy. */
export const STALE_AFTER_DAYS = 3;

export type SiteFacts = {
  activationStatus: 'active' | 'deactivated';
  licenseStatus: StoredLicenseStatus;
  licenseExpiresAt: Date | null;
  inventoryAt: Date | null;
  lastCheckAt: Date | null;
};

/** Before this moment, news of a site are old. */
export function staleBefore(now: Date): Date {
  return new Date(now.getTime() - STALE_AFTER_DAYS * 24 * 60 * 60 * 1000);
}

/** The first that holds: what stops a site comes before what is merely missing. */
export function siteStatus(site: SiteFacts, now: Date): SiteStatus {
  if (site.activationStatus === 'deactivated') return 'deactivated';
  const license = {
    storedStatus: site.licenseStatus,
    expiresAt: site.licenseExpiresAt,
    activeSites: 1,
  };
  if (!verdict(license, now).valid) return 'license_invalid';
  if (site.inventoryAt === null) return 'never_reported';
  const isOld = (at: Date | null) => at === null || at < staleBefore(now);
  return isOld(site.inventoryAt) && isOld(site.lastCheckAt) ? 'stale' : 'active';
}
