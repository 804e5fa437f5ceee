import type { LimitPreview } from '@steward/contract';
import type { LicenseUsage } from './license-view.ts';
import { countFreeSeats, getUncountedLimit } from './seat-rule.ts';

/** Describes the effect of a site limit before an owner sets it. */
export function previewLimit(license: LicenseUsage, siteLimit: number | null): LimitPreview {
  const { counted_sites: used, uncounted_sites } = license;
  const over = siteLimit === null ? 0 : Math.max(0, used - siteLimit);
  return {
    site_limit: siteLimit,
    sites_used: used,
    sites_remaining: countFreeSeats({ limit: siteLimit, inUse: used }),
    sites_over: over,
    uncounted_sites,
    uncounted_limit: getUncountedLimit(siteLimit),
    summary: summarize(siteLimit, used),
  };
}

function summarize(siteLimit: number | null, used: number): string {
  if (siteLimit === null) return `${used} used. Any number of sites can be added.`;
  const inUse = `${used} of ${siteLimit} used.`;
  const free = siteLimit - used;
  if (free > 0) return `${inUse} ${free} more can be added.`;
  return `${inUse} Existing sites stay; remove ${1 - free} before adding another.`;
}
