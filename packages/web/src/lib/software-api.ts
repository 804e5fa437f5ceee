import type {
  SiteSelectionResponse,
  SoftwareDetails,
  SoftwareItemQuery,
  SoftwareItemResponse,
  SoftwareQuery,
  SoftwareResponse,
} from '@steward/contract';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api, queryString } from './api.ts';

export type { SoftwareDetails };
export type SoftwareView = Pick<SoftwareQuery, 'type' | 'search' | 'filter' | 'sort' | 'direction'>;
/** Identifies a plugin, a theme or core. */
export type SoftwareKey = SoftwareItemQuery;

/** Sites report at any time, so the pages are polled. */
const REFRESH_MS = 30_000;

/** The plugins, themes or core that match the view, page by page. */
/** The whole list as a CSV file. */
export const softwareExportUrl = (view: SoftwareView) =>
  `/panel/software/export${queryString(view)}`;

export const softwareQuery = (view: SoftwareView) =>
  infiniteQueryOptions({
    queryKey: ['software', 'list', view],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      api<Static<typeof SoftwareResponse>>('/panel/software', {
        query: { ...view, cursor: pageParam },
        signal,
      }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Keep the old rows while the user types, but never show plugins on the tab of the themes.
    placeholderData: (data, query) =>
      (query?.queryKey[2] as SoftwareView | undefined)?.type === view.type
        ? keepPreviousData(data)
        : undefined,
    refetchInterval: REFRESH_MS,
  });

/** A plugin, a theme or core with all its versions. */
export const softwareItemQuery = ({ type, slug }: SoftwareKey) =>
  queryOptions({
    queryKey: ['software', 'item', type, slug],
    queryFn: async ({ signal }) => {
      const query = { type, slug };
      return (
        await api<Static<typeof SoftwareItemResponse>>('/panel/software/item', { query, signal })
      ).software;
    },
    refetchInterval: REFRESH_MS,
  });

/** The ids of the sites with this tag. Without a tag: of all sites that the user may see. */
export const siteIdsQuery = (filters: { tag?: string }) =>
  queryOptions({
    queryKey: ['sites', 'ids', filters],
    queryFn: ({ signal }) =>
      api<Static<typeof SiteSelectionResponse>>('/panel/sites/ids', { query: filters, signal }),
  });

/** Fetches the ids of the sites with this software. */
export const fetchSiteIdsWith = ({ type, slug }: SoftwareKey) =>
  api<Static<typeof SiteSelectionResponse>>('/panel/sites/ids', {
    query: { software_type: type, software: slug },
  });

/** Fetches the ids of the sites with a pending update of this software. */
export const fetchOutdatedSiteIds = ({ type, slug }: SoftwareKey) =>
  api<Static<typeof SiteSelectionResponse>>('/panel/sites/ids', {
    query: { software_type: type, software: slug, software_outdated: 'true' },
  });
