import type {
  PluginActionRequest,
  RestoreItem,
  RunDetailsResponse,
  RunSummary,
  RunsResponse,
  RunTask,
  RunTaskResponse,
  UpdateItem,
} from '@steward/contract';
import {
  type InvalidateOptions,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api, isTransient } from './api.ts';
import { openEventStream } from './event-stream.ts';
import type { InstallSource } from './packages-api.ts';

export type Run = Static<typeof RunSummary>;
export type Task = Static<typeof RunTask>;
type RunPage = Static<typeof RunDetailsResponse>;

/** A run and its known tasks by id. The event stream adds the tasks of a running run. */
export type RunWithTasks = { run: Run; tasks: ReadonlyMap<number, Task> };

const RUNS_PER_PAGE = 50;
const TASKS_PER_PAGE = 1000;
/** Asks the panel to respond as soon as the run exists, before it has finished. */
const RESPOND_ASYNC = { prefer: 'respond-async' };

type ListQuery = { before?: number | null; limit: number; status?: Run['status'] };
const listRuns = (query: ListQuery, signal: AbortSignal) =>
  api<Static<typeof RunsResponse>>('/panel/runs', { query, signal });

/** The maximum page size of the panel. */
const MAX_RUNNING = 200;

// `useLiveRunLists` keeps these three lists up to date.

/** All running runs, however old. */
export const runningRunsQuery = queryOptions({
  queryKey: ['runs', 'running'],
  queryFn: ({ signal }) => listRuns({ status: 'running', limit: MAX_RUNNING }, signal),
});

/** The newest runs, for the overview. */
export const recentRunsQuery = queryOptions({
  queryKey: ['runs', 'recent'],
  queryFn: ({ signal }) => listRuns({ limit: 10 }, signal),
});

/** All runs, newest first. */
export const runsQuery = infiniteQueryOptions({
  queryKey: ['runs', 'list'],
  initialPageParam: null as number | null,
  queryFn: ({ pageParam, signal }) => listRuns({ before: pageParam, limit: RUNS_PER_PAGE }, signal),
  getNextPageParam: ({ runs }) =>
    runs.length < RUNS_PER_PAGE ? undefined : (runs.at(-1)?.run_id ?? undefined),
});

/**
 * A run with its tasks: all pages of a finished run, only the first page of a running one. The event stream
 * delivers every task of a running run and every later change, so no refetch is needed. The watches of a finished run go
 * on, so it can become stale.
 */
export const runQuery = (runId: number) =>
  queryOptions<RunWithTasks>({
    queryKey: ['runs', 'one', runId],
    staleTime: ({ state }) => (isWatched(state.data) ? WATCH_STALE_MS : Number.POSITIVE_INFINITY),
    queryFn: async ({ signal }): Promise<RunWithTasks> => {
      const tasks = new Map<number, Task>();
      for (;;) {
        const after = tasks.size === 0 ? null : tasks.size - 1;
        const { results, ...run } = await readRun(runId, { after, limit: TASKS_PER_PAGE }, signal);
        for (const task of results) tasks.set(task.task_id, task);
        if (run.status === 'running' || results.length < TASKS_PER_PAGE) return { run, tasks };
      }
    },
  });

const WATCH_STALE_MS = 60_000;

const isWatched = (data: RunWithTasks | undefined) =>
  data?.run.status === 'finished' &&
  [...data.tasks.values()].some(({ watch }) => watch?.state === 'watching');

export const readRun = (
  runId: number,
  query: { after?: number | null; limit: number },
  signal?: AbortSignal,
) => api<RunPage>(`/panel/runs/${runId}`, { query, ...(signal ? { signal } : {}) });

/** A task with its details. A response with many tasks omits the details of some of them. */
export const taskQuery = (runId: number, taskId: number) =>
  queryOptions({
    queryKey: ['runs', 'one', runId, taskId],
    queryFn: async ({ signal }) => {
      const path = `/panel/runs/${runId}/tasks/${taskId}`;
      return (await api<Static<typeof RunTaskResponse>>(path, { signal })).task;
    },
  });

/** Starts the updates in `items`; if it is absent, all pending updates. Returns the new run immediately. */
export const startUpdate = (siteIds: number[], items?: UpdateItem[]) =>
  start('/remote/update', { site_ids: siteIds, ...(items && { items }) });
/** Starts a sync of these sites and returns the new run immediately. */
export const startSync = (siteIds: number[]) => start('/panel/sites/sync', { site_ids: siteIds });

/** Starts an action on one plugin of these sites and returns the new run immediately. */
export const startPluginAction = (siteIds: number[], request: PluginActionRequest) =>
  start('/panel/sites/plugin-action', { site_ids: siteIds, ...request });

export const startInstall = (siteIds: number[], source: InstallSource) =>
  start('/panel/sites/install', { site_ids: siteIds, ...source });
/** `items` may list several versions of one item, the preferred one first. A site restores the first one that it has saved. */
export const startRestore = (siteIds: number[], items: RestoreItem[]) =>
  start('/panel/sites/restore', { site_ids: siteIds, items });
export const startSelfUpdate = (siteIds: number[]) =>
  start('/panel/sites/self-update', { site_ids: siteIds });

const start = (path: string, body: object) =>
  api<RunPage>(path, { method: 'POST', body, headers: RESPOND_ASYNC });

export const cancelRun = (runId: number) =>
  api<Run>(`/panel/runs/${runId}/cancel`, { method: 'POST' });
/** Starts a new run for the retriable sites of a run, or for some of them. */
export const retryRun = (runId: number, siteIds?: number[]) =>
  api<RunPage>(`/panel/runs/${runId}/retry`, {
    method: 'POST',
    body: siteIds ? { site_ids: siteIds } : {},
    headers: RESPOND_ASYNC,
  });

/** Waits until a run of a single site has finished, and returns its task. */
export function waitForTask(run: RunPage): Promise<Task> {
  const taskOf = ({ results: [task] }: RunPage): Task => {
    if (task) return task;
    throw new Error(`Run ${run.run_id} has no site.`);
  };
  if (run.status === 'finished') return Promise.resolve(taskOf(run));
  return new Promise((resolve, reject) => {
    let latest = taskOf(run);
    const close = openEventStream(`/panel/runs/${run.run_id}/events`, {
      events: {
        task: (task) => {
          latest = task as Task;
        },
        end: () => {
          close();
          resolve(latest);
        },
      },
      onLost: () =>
        readRun(run.run_id, { limit: 1 }).then(
          (page) => {
            if (page.status !== 'finished') return;
            close();
            resolve(taskOf(page));
          },
          (error) => {
            // Keep waiting while the panel is not reachable: the run continues on the panel.
            if (isTransient(error)) return;
            close();
            reject(error);
          },
        ),
    });
  });
}

/** Refreshes all lists of runs: after a run was started, or without their event stream. */
export const refreshRunLists = (client: QueryClient, options?: InvalidateOptions) =>
  client.invalidateQueries(
    { predicate: ({ queryKey }) => queryKey[0] === 'runs' && queryKey[1] !== 'one' },
    options,
  );

const OPEN_STATUSES = ['queued', 'running'] as const;

/** The number of sites with a final outcome, without the sites that the panel still reconciles. */
export function countDone({ total, counts, verifying = 0 }: Run): number {
  const open = OPEN_STATUSES.reduce((sum, each) => sum + (counts[each] ?? 0), 0);
  return total - open - verifying;
}
