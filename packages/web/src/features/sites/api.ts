import type {
  ChangeTagsResponse,
  SiteItem,
  SiteSelectionResponse,
  SitesResponse,
  TagsResponse,
  UpdatePreviewResponse,
} from '@steward/contract';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';

export type { SiteItem };
export type Preview = Static<typeof UpdatePreviewResponse>['preview'];

const SITES_A_PAGE = 100;
const REFRESH_MS = 30_000;
/** So many pages are loaded again without much ado. */
const PAGES_REFRESHED = 3;

export const FILTERS = ['search', 'status', 'pending', 'environment', 'tag', 'license_id'] as const;
export type Filters = { [name in (typeof FILTERS)[number]]?: string | undefined };
export type View = Filters & { sort?: string | undefined; order?: string | undefined };

/** Sites in the order and with the filters of the address, page after page. */
export const sitesQuery = (view: View) =>
  infiniteQueryOptions({
    queryKey: ['sites', 'list', view],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      api<Static<typeof SitesResponse>>('/panel/sites', {
        query: { ...view, cursor: pageParam, limit: SITES_A_PAGE },
        signal,
      }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // The rows of before stay until the new ones are here: nothing flickers while somebody types.
    placeholderData: keepPreviousData,
    // Whoever has scrolled far down is not made to load it all again: one call for each page.
    refetchInterval: (query) => (isFarDown(query) ? false : REFRESH_MS),
    refetchOnWindowFocus: (query) => !isFarDown(query),
    refetchOnReconnect: (query) => !isFarDown(query),
    // Who has changed something meanwhile, and comes back, sees it changed.
    refetchOnMount: (query) => query.state.isInvalidated || !isFarDown(query),
  });

type Loaded = { state: { data?: { pages: unknown[] } | undefined } };

const isFarDown = ({ state }: Loaded) => (state.data?.pages.length ?? 0) > PAGES_REFRESHED;

/** All that match, beyond what has been loaded. */
export const selectMatching = (filters: Filters) =>
  api<Static<typeof SiteSelectionResponse>>('/panel/sites/ids', { query: filters });

export const previewUpdate = (siteIds: number[]) =>
  api<Static<typeof UpdatePreviewResponse>>('/panel/sites/update-preview', {
    method: 'POST',
    body: { site_ids: siteIds },
  });

export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: ({ signal }) => api<Static<typeof TagsResponse>>('/panel/tags', { signal }),
});

export const changeTags = (body: { site_ids: number[]; add: string[]; remove: string[] }) =>
  api<Static<typeof ChangeTagsResponse>>('/panel/sites/tags', { method: 'POST', body });
