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
export type RecordPage = Pick<Body, 'records' | 'next_before' | 'sites'>;

/** How many empty pages are read in a row before the user has to ask for more. */
const MAX_EMPTY_PAGES = 5;

export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', search],
    initialPageParam: null as number | null,
    getNextPageParam: (part: RecordPage) => part.next_before,
    placeholderData: keepPreviousData,
    // Users often open the log to find an action they have just performed.
    staleTime: 0,
    queryFn: ({ pageParam, signal }) => readRecordPage(search, pageParam, signal),
  });

/** The panel scans a limited number of records per page, so an empty page may not be the last one. */
async function readRecordPage(
  search: AuditSearch,
  before: number | null,
  signal: AbortSignal,
): Promise<RecordPage> {
  let part: RecordPage = { records: [], sites: [], next_before: before };
  for (let page = 0; page < MAX_EMPTY_PAGES; page++) {
    const query = { ...toApiQuery(search), before: part.next_before };
    part = await api<Body>('/panel/audit', { query, signal });
    if (part.records.length > 0 || part.next_before === null) break;
  }
  return part;
}

export const exportUrl = (search: AuditSearch, format: AuditExportFormat): string =>
  `/panel/audit/export${queryString({ format, ...toApiQuery(search) })}`;

/** The name of the site whose id is in the URL. */
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
