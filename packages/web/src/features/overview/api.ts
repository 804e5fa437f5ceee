import type {
  Overview,
  OverviewResponse,
  RunPreviewResponse,
  SiteSelectionResponse,
  SitesResponse,
} from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';

/**
 * A new site must appear within 5 seconds. With more than 10,000 sites it can take up to 7.5 seconds: the panel then
 * caches the counts for 5 seconds.
 */
const REFRESH_MS = 2500;

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: async ({ signal }): Promise<Overview> =>
    (await api<Static<typeof OverviewResponse>>('/panel/overview', { signal })).overview,
  refetchInterval: REFRESH_MS,
});

export const firstSiteQuery = queryOptions({
  queryKey: ['sites', 'first'],
  queryFn: async ({ signal }) => {
    const page = await api<Static<typeof SitesResponse>>('/panel/sites', {
      query: { limit: 1 },
      signal,
    });
    return page.sites[0] ?? null;
  },
});

/** The sites with an older Steward plugin, and how many of them a run would call. */
export const selfUpdateSitesQuery = (olderSites: number) =>
  queryOptions({
    queryKey: ['overview', 'self-update', olderSites],
    queryFn: async ({ signal }) => {
      const selection = await fetchSiteIds({ steward_plugin: 'outdated' });
      const { site_ids } = selection;
      if (site_ids.length === 0) return { ...selection, callable: 0, firstReason: null };
      const { preview } = await api<Static<typeof RunPreviewResponse>>(
        '/panel/sites/self-update-preview',
        { method: 'POST', body: { site_ids }, signal },
      );
      const firstReason = preview.skipped.sites[0]?.reason ?? null;
      return { ...selection, callable: preview.site_ids.length, firstReason };
    },
  });

/** The ids of the sites with this status, with pending updates, or with an older Steward plugin. */
export const fetchSiteIds = (
  query: { status: string } | { pending: string } | { steward_plugin: string },
) => api<Static<typeof SiteSelectionResponse>>('/panel/sites/ids', { query });
