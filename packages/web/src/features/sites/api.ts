import type {
  ArchiveSitesResponse,
  ChangeTagsResponse,
  SetClientRequest,
  SetClientResponse,
  SiteItem,
  SiteSelectionResponse,
  SitesResponse,
} from '@steward/contract';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api, queryString } from '../../lib/api.ts';

export type { SiteItem };

const SITES_PER_PAGE = 100;
const REFRESH_MS = 30_000;
/** Longer lists are not refreshed automatically, because every page is a separate request. */
const MAX_REFRESHED_PAGES = 3;

export const FILTERS = [
  'search',
  'status',
  'pending',
  'environment',
  'tag',
  'license_id',
  'client_id',
  'archived',
  'software_type',
  'software',
  'software_version',
  'software_outdated',
  'steward_plugin',
  'support',
  'certificate',
] as const;
export type Filters = { [name in (typeof FILTERS)[number]]?: string | undefined };
/** The filters and the sort order in the URL. */
export type View = Filters & { sort?: string | undefined; order?: string | undefined };

/** The filters of a view, without the sort order. */
export const pickFilters = (view: View): Filters =>
  Object.fromEntries(FILTERS.flatMap((name) => (view[name] ? [[name, view[name]]] : [])));

/** The sites that match the view, page by page. */
export const sitesQuery = (view: View) =>
  infiniteQueryOptions({
    queryKey: ['sites', 'list', view],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      api<Static<typeof SitesResponse>>('/panel/sites', {
        query: { ...view, cursor: pageParam, limit: SITES_PER_PAGE },
        signal,
      }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Keep the old rows until the new rows arrive, so that the list does not flicker while the user types.
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (isLongList(query) ? false : REFRESH_MS),
    refetchOnWindowFocus: (query) => !isLongList(query),
    refetchOnReconnect: (query) => !isLongList(query),
    // After an action even a long list is outdated, so load it again.
    refetchOnMount: (query) => query.state.isInvalidated || !isLongList(query),
  });

type LoadedQuery = { state: { data?: { pages: unknown[] } | undefined } };

const isLongList = ({ state }: LoadedQuery) =>
  (state.data?.pages.length ?? 0) > MAX_REFRESHED_PAGES;

/** The whole list as a CSV file, with the cells of these columns. */
export const exportUrl = (view: View, columns: string[]): string =>
  `/panel/sites/export${queryString({ ...view, columns: columns.join(',') })}`;

/** The ids of all matching sites, including sites that are not loaded yet. */
export const fetchMatchingIds = (filters: Filters) =>
  api<Static<typeof SiteSelectionResponse>>('/panel/sites/ids', { query: filters });

export const changeTags = (body: { site_ids: number[]; add: string[]; remove: string[] }) =>
  api<Static<typeof ChangeTagsResponse>>('/panel/sites/tags', { method: 'POST', body });

export const setClientOfSites = (body: SetClientRequest) =>
  api<SetClientResponse>('/panel/sites/client', { method: 'POST', body });

export const archiveSites = (siteIds: number[]) => postSiteIds('archive', siteIds);
export const unarchiveSites = (siteIds: number[]) => postSiteIds('unarchive', siteIds);

const postSiteIds = (action: 'archive' | 'unarchive', site_ids: number[]) =>
  api<ArchiveSitesResponse>(`/panel/sites/${action}`, { method: 'POST', body: { site_ids } });
