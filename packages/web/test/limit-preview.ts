/** The panel's response to a preview of a new site limit. `panel-license-changes.test.ts` checks the real sentences. */
export function limitPreview(requestedLimit: string | undefined, sites_used: number) {
  const site_limit =
    requestedLimit === undefined || requestedLimit === 'unlimited' ? null : Number(requestedLimit);
  const sitesOver = site_limit === null ? 0 : Math.max(0, sites_used - site_limit);
  const sites_remaining = site_limit === null ? null : Math.max(0, site_limit - sites_used);
  const meaning =
    sitesOver > 0
      ? `Existing sites stay; remove ${sitesOver + 1} before adding another.`
      : `${sites_remaining === null ? 'Any number of sites' : `${sites_remaining} more`} can be added.`;
  return {
    success: true as const,
    preview: {
      site_limit,
      sites_used,
      sites_remaining,
      sites_over: sitesOver,
      uncounted_sites: 0,
      uncounted_limit: site_limit === null ? null : site_limit * 5,
      summary: `${sites_used}${site_limit === null ? '' : ` of ${site_limit}`} used. ${meaning}`,
    },
  };
}
