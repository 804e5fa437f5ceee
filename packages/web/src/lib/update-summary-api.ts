import type { UpdateSummary, UpdateSummaryRequest, UpdateSummaryResponse } from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from './api.ts';

/** Sites report and waits end at any time, so the counts are polled. Counting many sites costs the panel up to a second. */
const REFRESH_MS = 30_000;
const REFRESH_OF_MANY_MS = 300_000;
/** Above this number of sites, a change of a number on the page does not count again: in a large fleet, one changes always. */
export const MANY_SITES = 1000;

const isOfMany = ({ sites, up_to_date, left_out }: UpdateSummary) =>
  left_out.reduce((sum, entry) => sum + entry.sites, sites + up_to_date) > MANY_SITES;

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
    refetchInterval: ({ state }) =>
      state.data && isOfMany(state.data) ? REFRESH_OF_MANY_MS : REFRESH_MS,
  });
