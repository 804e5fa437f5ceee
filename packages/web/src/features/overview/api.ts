import type { Overview, OverviewResponse, SitesResponse } from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';

const FIRST_SITE_EVERY_MS = 2000;
const OTHERWISE_MS = 30_000;

/** Often while the first site is waited for, seldom afterwards. */
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: async ({ signal }): Promise<Overview> =>
    (await api<Static<typeof OverviewResponse>>('/panel/overview', { signal })).overview,
  refetchInterval: ({ state }) =>
    state.data?.sites.total === 0 ? FIRST_SITE_EVERY_MS : OTHERWISE_MS,
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
