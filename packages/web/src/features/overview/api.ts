import type { Overview, OverviewResponse, SitesResponse } from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';

const REFRESH_EMPTY_MS = 2000;
const REFRESH_MS = 30_000;

/** Refetches often until the first site connects, so that the page shows the site immediately. */
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: async ({ signal }): Promise<Overview> =>
    (await api<Static<typeof OverviewResponse>>('/panel/overview', { signal })).overview,
  refetchInterval: ({ state }) => (state.data?.sites.total === 0 ? REFRESH_EMPTY_MS : REFRESH_MS),
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
