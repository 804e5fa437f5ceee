import type {
  AuditExportFormat,
  AuditRecord,
  AuditResponse,
  SiteResponse,
} from '@steward/contract';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api, queryString } from '../../lib/api.ts';
import { type AuditSearch, toApiQuery } from './filters.ts';

type Body = Static<typeof AuditResponse>;
export type RecordPage = Pick<Body, 'records' | 'next_before' | 'names' | 'complete_from'>;

/** The maximum number of empty pages in a row. After that, the user decides whether to continue the search. */
const MAX_EMPTY_PAGES = 5;

export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', search],
    initialPageParam: null as number | null,
    getNextPageParam: (page: RecordPage) => page.next_before,
    placeholderData: keepPreviousData,
    // Users often open the log right after an action, so cached pages would miss its record.
    staleTime: 0,
    queryFn: ({ pageParam, signal }) => readRecordPage(search, pageParam, signal),
  });

/** Skips empty pages: the panel scans a limited number of records per page, so matches may follow an empty page. */
async function readRecordPage(
  search: AuditSearch,
  before: number | null,
  signal: AbortSignal,
): Promise<RecordPage> {
  let page: RecordPage = { records: [], names: [], next_before: before, complete_from: null };
  for (let reads = 0; reads < MAX_EMPTY_PAGES; reads++) {
    const query = { ...toApiQuery(search), before: page.next_before };
    page = await api<Body>('/panel/audit', { query, signal });
    if (page.records.length > 0 || page.next_before === null) break;
  }
  return page;
}

export const exportUrl = (search: AuditSearch, format: AuditExportFormat): string =>
  `/panel/audit/export${queryString({ format, ...toApiQuery(search) })}`;

/** The name of a site, for the site filter: the URL contains only the id. */
export const siteNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit', 'site-name', id],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { site } = await api<Static<typeof SiteResponse>>(`/panel/sites/${id}`, { signal });
      return site.name;
    },
  });

export type { AuditRecord };
