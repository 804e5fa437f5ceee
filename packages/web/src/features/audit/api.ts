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

type Answer = Static<typeof AuditResponse>;
export type AuditPart = Pick<Answer, 'records' | 'next_before' | 'sites'>;

/** How often an empty page is followed by the next one before somebody is asked. */
const EMPTY_PAGES_AT_ONCE = 5;

export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', search],
    initialPageParam: null as number | null,
    getNextPageParam: (part: AuditPart) => part.next_before,
    placeholderData: keepPreviousData,
    // Whoever looks after an action looks for that action.
    staleTime: 0,
    queryFn: ({ pageParam, signal }) => readPart(search, pageParam, signal),
  });

/** A search may look through many records in vain; a page that is empty need not be the last. */
async function readPart(
  search: AuditSearch,
  before: number | null,
  signal: AbortSignal,
): Promise<AuditPart> {
  let part: AuditPart = { records: [], sites: [], next_before: before };
  for (let tries = 0; tries < EMPTY_PAGES_AT_ONCE; tries++) {
    const query = { ...queryOf(search), before: part.next_before };
    part = await api<Answer>('/panel/audit', { query, signal });
    if (part.records.length > 0 || part.next_before === null) break;
  }
  return part;
}

export const exportAddress = (search: AuditSearch, format: AuditExportFormat): string =>
  `/panel/audit/export${queryString({ format, ...queryOf(search) })}`;

/** What a site is called whose number stands in the address. */
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
