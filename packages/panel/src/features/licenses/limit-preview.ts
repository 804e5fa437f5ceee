import { type LimitPreview, UNCOUNTED_SITES_PER_SEAT } from '@steward/contract';
import type { LicenseUsage } from './license-view.ts';

/** Describes the effect of a site limit before an owner sets it. */
export function previewLimit(license: LicenseUsage, siteLimit: number | null): LimitPreview {
  const { counted_sites: used, uncounted_sites } = license;
  const over = siteLimit === null ? 0 : Math.max(0, used - siteLimit);
  return {
    site_limit: siteLimit,
    sites_used: used,
    sites_remaining: siteLimit === null ? null : Math.max(0, siteLimit - used),
    sites_over: over,
    uncounted_sites,
    uncounted_limit: siteLimit === null ? null : siteLimit * UNCOUNTED_SITES_PER_SEAT,
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
