import type { Preflight, PreflightResponse, UpdateItem } from '@steward/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from './api.ts';

/** Predicts on which sites an update would fail. Without `items`, the update installs all pending versions. */
export const preflightQuery = (siteIds: number[], items?: UpdateItem[]) =>
  queryOptions({
    queryKey: ['preflight', siteIds, items],
    queryFn: async (): Promise<Preflight> => {
      const response = await api<Static<typeof PreflightResponse>>('/panel/sites/preflight', {
        method: 'POST',
        body: { site_ids: siteIds, ...(items && { items }) },
      });
      return response.preflight;
    },
    enabled: siteIds.length > 0 && items?.length !== 0,
    // The dialog must not jump while the user changes the selection.
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
