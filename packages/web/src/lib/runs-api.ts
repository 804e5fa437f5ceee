import type {
  RunDetailsResponse,
  RunSummary,
  RunsResponse,
  RunTask,
  RunTaskResponse,
} from '@steward/contract';
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api, codeOf } from './api.ts';

export type Run = Static<typeof RunSummary>;
export type Task = Static<typeof RunTask>;
type RunPage = Static<typeof RunDetailsResponse>;

/** A run and what is known here of its tasks; while it goes on they come one after the other. */
export type WatchedRun = { run: Run; tasks: ReadonlyMap<number, Task> };

const WHILE_RUNNING_MS = 2000;
const OTHERWISE_MS = 20_000;
const RUNS_A_PAGE = 50;
const TASKS_A_PAGE = 1000;
const AT_ONCE = { prefer: 'respond-async' };

type ListQuery = { before?: number | null; limit: number; status?: Run['status'] };
const listRuns = (query: ListQuery, signal: AbortSignal) =>
  api<Static<typeof RunsResponse>>('/panel/runs', { query, signal });
const pauseFor = (runs: Run[] = []) =>
  runs.some(({ status }) => status === 'running') ? WHILE_RUNNING_MS : OTHERWISE_MS;

/** As many as the panel gives at once. */
const RUNNING_AT_MOST = 200;

/** All that go on now, however many came after them: often while something runs, seldom when not. */
export const runningRunsQuery = queryOptions({
  queryKey: ['runs', 'running'],
  queryFn: ({ signal }) => listRuns({ status: 'running', limit: RUNNING_AT_MOST }, signal),
  refetchInterval: ({ state }) => pauseFor(state.data?.runs),
});

/** The latest, for the overview. */
export const recentRunsQuery = queryOptions({
  queryKey: ['runs', 'recent'],
  queryFn: ({ signal }) => listRuns({ limit: 10 }, signal),
  refetchInterval: ({ state }) => pauseFor(state.data?.runs),
});

/** All runs, newest first; those that go on are kept fresh. */
export const runsQuery = infiniteQueryOptions({
  queryKey: ['runs', 'list'],
  initialPageParam: null as number | null,
  queryFn: ({ pageParam, signal }) => listRuns({ before: pageParam, limit: RUNS_A_PAGE }, signal),
  getNextPageParam: ({ runs }) =>
    runs.length < RUNS_A_PAGE ? undefined : (runs.at(-1)?.run_id ?? undefined),
  refetchInterval: ({ state }) => pauseFor(state.data?.pages.flatMap(({ runs }) => runs)),
});

/**
 * A run with its tasks. Of one that has finished, all pages are read. Of one that goes on only the
 * first, to have something to show: the events tell of every task anyway, from the beginning.
 * Once read it is not asked for again; what changes comes with the events.
 */
export const runQuery = (runId: number) =>
  queryOptions({
    queryKey: ['runs', 'one', runId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<WatchedRun> => {
      const tasks = new Map<number, Task>();
      for (;;) {
        const after = tasks.size === 0 ? null : tasks.size - 1;
        const { results, ...run } = await readRun(runId, { after, limit: TASKS_A_PAGE }, signal);
        for (const task of results) tasks.set(task.task_id, task);
        if (run.status === 'running' || results.length < TASKS_A_PAGE) return { run, tasks };
      }
    },
  });

export const readRun = (
  runId: number,
  query: { after?: number | null; limit: number },
  signal?: AbortSignal,
) => api<RunPage>(`/panel/runs/${runId}`, { query, ...(signal ? { signal } : {}) });

/** A task with its details, which a run with very many of them leaves out. */
export const taskQuery = (runId: number, taskId: number) =>
  queryOptions({
    queryKey: ['runs', 'one', runId, taskId],
    queryFn: async ({ signal }) => {
      const path = `/panel/runs/${runId}/tasks/${taskId}`;
      return (await api<Static<typeof RunTaskResponse>>(path, { signal })).task;
    },
  });

/** All pending updates on these sites. Answers at once, with the run that was made. */
export const startUpdate = (siteIds: number[]) => start('/remote/update', siteIds);
/** These sites look for updates and report. Answers at once, with the run that was made. */
export const startSync = (siteIds: number[]) => start('/panel/sites/sync', siteIds);

const start = (path: string, siteIds: number[]) =>
  api<RunPage>(path, { method: 'POST', body: { site_ids: siteIds }, headers: AT_ONCE });

export const cancelRun = (runId: number) =>
  api<Run>(`/panel/runs/${runId}/cancel`, { method: 'POST' });
/** A new run for the sites where something is left to do. */
export const retryRun = (runId: number) =>
  api<RunPage>(`/panel/runs/${runId}/retry`, { method: 'POST', headers: AT_ONCE });

const LOOK_EVERY_MS = 700;

/** Until the run of a single site has ended; gives what became of it. */
export async function outcomeOfOne(runId: number): Promise<Task> {
  for (;;) {
    // The run goes on while nobody can ask for it.
    const answer = await readRun(runId, { limit: 1 }).catch((error) => {
      if (codeOf(error) === 'offline') return null;
      throw error;
    });
    if (answer?.status === 'finished') {
      const [task] = answer.results;
      if (task) return task;
      throw new Error(`Run ${runId} has no site.`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Lists of runs show a new run, or the end of one, without waiting for their next look. */
export const refreshRunLists = (client: QueryClient) =>
  client.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] === 'runs' && queryKey[1] !== 'one',
  });

const OPEN = ['queued', 'running'] as const;

/**
 * How many sites of a run have an outcome. While it goes on, a site whose answer was lost is being
 * asked what became of it, and has none yet.
 */
export function doneOf({ status, total, counts }: Run): number {
  const open = OPEN.reduce((sum, each) => sum + (counts[each] ?? 0), 0);
  return total - open - (status === 'running' ? (counts.unknown ?? 0) : 0);
}
