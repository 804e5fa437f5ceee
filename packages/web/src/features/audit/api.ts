import type {
  AuditExportFormat,
  AuditRecord,
  AuditResponse,
  SiteResponse,
} from '@steward/contract';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api, queryString } from '../../lib/api.ts';
import { type AuditSearch, queryOf } from './filters.ts';

type Body = Static<typeof AuditResponse>;
export type AuditPart = Pick<Body, 'records' | 'next_before' | 'sites'>;

/** How many empty pages are read in a row before the user has to ask for more. */
const MAX_EMPTY_PAGES = 5;

export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', search],
    initialPageParam: null as number | null,
    getNextPageParam: (part: AuditPart) => part.next_before,
    placeholderData: keepPreviousData,
    // Users often open the log to find an action they have just performed.
    staleTime: 0,
    queryFn: ({ pageParam, signal }) => readPart(search, pageParam, signal),
  });

/** The panel scans a limited number of records per page, so an empty page may not be the last one. */
async function readPart(
  search: AuditSearch,
  before: number | null,
  signal: AbortSignal,
): Promise<AuditPart> {
  let part: AuditPart = { records: [], sites: [], next_before: before };
  for (let page = 0; page < MAX_EMPTY_PAGES; page++) {
    const query = { ...queryOf(search), before: part.next_before };
    part = await api<Body>('/panel/audit', { query, signal });
    if (part.records.length > 0 || part.next_before === null) break;
  }
  return part;
}

export const exportUrl = (search: AuditSearch, format: AuditExportFormat): string =>
  `/panel/audit/export${queryString({ format, ...queryOf(search) })}`;

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
