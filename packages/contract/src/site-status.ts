import { type StoredLicenseStatus, verdict } from './license-verdict.ts';

/** How a site stands, in one word, for the panel. Pure, so that lists, filters and screens agree. */

/** In order of urgency: what needs somebody first, down to what nobody can do anything about here. */
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

/** What the last call to a site found wrong; a site keeps it until a call or a report settles it. */
export const SITE_FAULTS = ['failing', 'not_reachable', 'remote_off'] as const;
export type SiteFault = (typeof SITE_FAULTS)[number];

/** What the log of a site's calls has shown. It stays until a user dismisses it. */
export const SITE_ALARMS = ['foreign_call', 'log_changed'] as const;
export type SiteAlarm = (typeof SITE_ALARMS)[number];

/** The service that lets the panel call a site. */
export const REMOTE_SERVICE = 'remote';

/** Sites check in twice a day, or once while the panel is busy. */
export const STALE_AFTER_DAYS = 3;

/** What decides whether the panel may call a site at all. */
export type RemoteFacts = {
  activationStatus: 'active' | 'deactivated';
  licenseStatus: StoredLicenseStatus;
  licenseExpiresAt: Date | null;
  /** Of the license: its own, or its plan's. */
  services: string[];
};

export type SiteFacts = RemoteFacts & {
  alarm: SiteAlarm | null;
  fault: SiteFault | null;
  pendingTotal: number;
  inventoryAt: Date | null;
  lastCheckAt: Date | null;
};

/** Why no call to a site is possible, whatever the site itself would say. */
export const REMOTE_OBSTACLES = ['deactivated', 'license_invalid', 'remote_off'] as const;
export type RemoteObstacle = (typeof REMOTE_OBSTACLES)[number];

/** Before this moment, news of a site are old. */
export function staleBefore(now: Date): Date {
  return new Date(now.getTime() - STALE_AFTER_DAYS * 24 * 60 * 60 * 1000);
}

/** Null: the panel may call the site. A site that refused or did not answer may be tried again. */
export function remoteObstacle(site: RemoteFacts, now: Date): RemoteObstacle | null {
  if (site.activationStatus === 'deactivated') return 'deactivated';
  const license = {
    storedStatus: site.licenseStatus,
    expiresAt: site.licenseExpiresAt,
    activeSites: 1,
  };
  if (!verdict(license, now).valid) return 'license_invalid';
  return site.services.includes(REMOTE_SERVICE) ? null : 'remote_off';
}

/** What stops a site comes first; of the rest, the most urgent that holds. */
export function siteStatus(site: SiteFacts, now: Date): SiteStatus {
  const obstacle = remoteObstacle(site, now);
  if (obstacle !== null) return obstacle;
  if (site.alarm !== null) return 'alarm';
  if (site.fault !== null) return site.fault;
  if (site.pendingTotal > 0) return 'updates';
  if (site.inventoryAt === null) return 'never_synced';
  const isOld = (at: Date | null) => at === null || at < staleBefore(now);
  return isOld(site.inventoryAt) && isOld(site.lastCheckAt) ? 'stale' : 'up_to_date';
}
