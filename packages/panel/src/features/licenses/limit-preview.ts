import { type LimitPreview, UNCOUNTED_SITES_PER_SLOT } from '@steward/contract';
import type { LicenseUsage } from './license-view.ts';

/** What another limit would mean for a license, before anybody sets it. */
export function limitPreview(license: LicenseUsage, siteLimit: number | null): LimitPreview {
  const { counted_sites: used, uncounted_sites } = license;
  const over = siteLimit === null ? 0 : Math.max(0, used - siteLimit);
  return {
    site_limit: siteLimit,
    sites_used: used,
    sites_remaining: siteLimit === null ? null : Math.max(0, siteLimit - used),
    sites_over: over,
    uncounted_sites,
    uncounted_limit: siteLimit === null ? null : siteLimit * UNCOUNTED_SITES_PER_SLOT,
    summary: summaryOf(siteLimit, used, over),
  };
}

function summaryOf(siteLimit: number | null, used: number, over: number): string {
  const inUse = `It is in use on ${sites(used)}.`;
  if (siteLimit === null) return `${inUse} Any number more can be activated.`;
  if (over > 0) {
    return `${inUse} All of them stay in, ${over} more than the limit; no other site can be activated until ${over + 1} have left.`;
  }
  const free = siteLimit - used;
  if (free === 0) return `${inUse} All of them stay in; no other site can be activated.`;
  return `${inUse} ${free} more can be activated.`;
}

function sites(count: number): string {
  return count === 1 ? '1 site' : `${count} sites`;
}
