import { evaluateLicense, type StoredLicenseStatus } from './license-verdict.ts';

/** The status of a site. Pure, so that lists, filters and screens agree. */

/** The most urgent first. In the last three states the panel cannot manage the site. */
export const SITE_STATUSES = [
  'alarm',
  'failing',
  'not_reachable',
  'updates',
  'stale',
  'never_synced',
  'up_to_date',
  'remote_off',
  'license_invalid',
  'deactivated',
] as const;
export type SiteStatus = (typeof SITE_STATUSES)[number];

/** The problem that the last call to a site, or its pings, found. A later call, ping or report can clear it. */
export const SITE_FAULTS = ['failing', 'not_reachable', 'remote_off'] as const;
export type SiteFault = (typeof SITE_FAULTS)[number];

/** A problem in the call log of a site. It stays until a user dismisses it. */
export const SITE_ALARMS = ['foreign_call', 'log_changed'] as const;
export type SiteAlarm = (typeof SITE_ALARMS)[number];

/** The service that lets the panel call a site. */
export const REMOTE_SERVICE = 'remote';

/** After this time without contact, a site is stale. Sites check in twice a day, or once while the panel is busy. */
export const STALE_AFTER_DAYS = 3;

/** The facts that decide whether the panel may call a site. */
export type RemoteFacts = {
  activationStatus: 'active' | 'deactivated';
  licenseStatus: StoredLicenseStatus;
  licenseExpiresAt: Date | null;
  /** The services of the license, or of its plan. */
  services: string[];
};

export type SiteFacts = RemoteFacts & {
  alarm: SiteAlarm | null;
  fault: SiteFault | null;
  pendingTotal: number;
  inventoryAt: Date | null;
  lastCheckAt: Date | null;
};

/** Reasons why the panel may not call a site, known without a call. */
export const REMOTE_OBSTACLES = ['deactivated', 'license_invalid', 'remote_off'] as const;
export type RemoteObstacle = (typeof REMOTE_OBSTACLES)[number];

/** Also the end of the old key of a site, after its license got a new one. */
export const CALL_OBSTACLES = [...REMOTE_OBSTACLES, 'key_expired'] as const;
export type CallObstacle = (typeof CALL_OBSTACLES)[number];

/** A site whose last contact was before this moment is stale. */
export function noContactBefore(now: Date): Date {
  return new Date(now.getTime() - STALE_AFTER_DAYS * 24 * 60 * 60 * 1000);
}

/** Returns null if the panel may call the site. A fault of the last call is no obstacle. */
export function remoteObstacle(site: RemoteFacts, now: Date): RemoteObstacle | null {
  if (site.activationStatus === 'deactivated') return 'deactivated';
  const license = {
    storedStatus: site.licenseStatus,
    expiresAt: site.licenseExpiresAt,
    activeSites: 1,
  };
  if (!evaluateLicense(license, now).valid) return 'license_invalid';
  return site.services.includes(REMOTE_SERVICE) ? null : 'remote_off';
}

/** Returns null if the panel may call the site with the key that it has. `keyEndsAt`: the end of an old license key. */
export function callObstacle(
  { keyEndsAt, ...site }: RemoteFacts & { keyEndsAt: Date | null },
  now: Date,
): CallObstacle | null {
  return remoteObstacle(site, now) ?? (isKeyExpired(keyEndsAt, now) ? 'key_expired' : null);
}

export const isKeyExpired = (endsAt: Date | null, now: Date): boolean =>
  endsAt !== null && endsAt <= now;

/** An obstacle comes first, then an alarm, a fault, pending updates, a missing report, and no contact. */
export function siteStatus(site: SiteFacts, now: Date): SiteStatus {
  const obstacle = remoteObstacle(site, now);
  if (obstacle !== null) return obstacle;
  if (site.alarm !== null) return 'alarm';
  if (site.fault !== null) return site.fault;
  if (site.pendingTotal > 0) return 'updates';
  if (site.inventoryAt === null) return 'never_synced';
  const isTooOld = (at: Date | null) => at === null || at < noContactBefore(now);
  return isTooOld(site.inventoryAt) && isTooOld(site.lastCheckAt) ? 'stale' : 'up_to_date';
}
