import type { UpdateSummary, UpdateSummaryRequest, UpdateSummaryResponse } from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from './api.ts';

/** Sites report and waits end at any time, so the counts are polled. */
const REFRESH_MS = 30_000;

export const UPDATE_SUMMARY_KEY = ['update-summary'];

/** What an update would do. `basis`: a change of this value reads the counts again, for example after a report. */
export const updateSummaryQuery = (request: UpdateSummaryRequest, basis: unknown = null) =>
  queryOptions({
    queryKey: [...UPDATE_SUMMARY_KEY, request, basis],
    queryFn: async ({ signal }): Promise<UpdateSummary> =>
      (
        await api<Static<typeof UpdateSummaryResponse>>('/panel/sites/update-summary', {
          method: 'POST',
          body: request,
          signal,
        })
      ).summary,
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });
