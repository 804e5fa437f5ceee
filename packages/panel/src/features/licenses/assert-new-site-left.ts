import { secondsUntilNextDay, utcDay } from '../../platform/utc-day.ts';
import { CountedRefusal } from '../audit/index.ts';
import type { LicenseRecord } from './licenses.repository.ts';

type NewSites = Pick<LicenseRecord, 'id' | 'site_limit' | 'new_sites' | 'new_sites_day'>;

/**
 * Throws if a license without a site limit has connected its new sites of this day (UTC). Seats limit the new sites of all
 * other licenses. The caller must have locked the license.
 */
export function assertNewSiteLeft(license: NewSites, now: Date, newSitesPerDay: number): void {
  if (license.site_limit !== null) return;
  const newSites = license.new_sites_day === utcDay(now) ? license.new_sites : 0;
  if (newSites < newSitesPerDay) return;
  throw new CountedRefusal('rate_limited', {
    message: `This license has connected ${newSitesPerDay} new sites today, and Steward accepts no more in a day. The site was not connected. Try again after 00:00 UTC, or ask the operator of the panel to raise NEW_SITES_PER_DAY.`,
    retryAfterSeconds: secondsUntilNextDay(now),
    entry: {
      action: 'refuse_new_sites',
      entityType: 'license',
      entityId: license.id,
      context: { limit: newSitesPerDay },
    },
  });
}
