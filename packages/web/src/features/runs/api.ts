import type { RunSummary, RunsResponse } from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';

export type Run = Static<typeof RunSummary>;

const WHILE_RUNNING_MS = 2000;
const OTHERWISE_MS = 20_000;

/** For the rail: often while something runs, seldom when not. */
export const recentRunsQuery = queryOptions({
  queryKey: ['runs', 'recent'],
  queryFn: ({ signal }) =>
    api<Static<typeof RunsResponse>>('/panel/runs', { query: { limit: 10 }, signal }),
  refetchInterval: ({ state }) =>
    state.data?.runs.some(({ status }) => status === 'running') ? WHILE_RUNNING_MS : OTHERWISE_MS,
});

const OPEN = ['queued', 'running'] as const;

/** How many sites of a run have an outcome. */
export function doneOf({ total, counts }: Run): number {
  const open = OPEN.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  return total - open;
}
