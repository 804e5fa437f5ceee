import { canonicalSiteUrl } from '@steward/contract';
import type { FetchedJob } from './job-worker.ts';
import type { NewJob, Queue } from './queue.ts';
import type { UnfinishedTask } from './runs.repository.ts';

/** One attempt at a task: at most one call to its site. */
export type CallJobData = {
  runId: number;
  taskId: number;
  attempt: number;
  host: string;
  tries?: RetryCounts | undefined;
};

/** The number of retries so far, by cause. */
export type RetryCounts = { [cause: string]: number };

export type CallJob = NewJob<CallJobData>;
export type FetchedCallJob = FetchedJob<CallJobData>;
export type CallQueue = Queue<CallJobData>;

/** For single actions: a user waits for the response. */
export const URGENT_PRIORITY = 2;
/** Above all jobs except single actions: the task blocks its site, and reconciling has a short time limit. */
const RECONCILE_PRIORITY = 1;
/** Without a lowest priority, every newer run would overtake the last jobs of an address with many sites. */
const LOWEST_PRIORITY = -20;
/** Highest priority of slow sites: a worker calls them after all others. */
const SLOW_SITE_PRIORITY = LOWEST_PRIORITY - 1;

/**
 * Interleaves the jobs by address. The concurrency limit per address is low, so a thousand sites at one
 * provider would otherwise block all other sites.
 */
export function createJobs(tasks: UnfinishedTask[]): CallJob[] {
  const jobsPerGroup = new Map<string, number>();
  return tasks.map((task) => {
    const { id, run_id, site_id, attempt, kind, site_url, address, is_slow, dispatched_at } = task;
    const host = hostOf(site_url ?? '');
    const group = address ?? host;
    const ranked = is_slow ? `${group} slow` : group;
    const rank = jobsPerGroup.get(ranked) ?? 0;
    jobsPerGroup.set(ranked, rank + 1);
    const highest = is_slow ? SLOW_SITE_PRIORITY : 0;
    const runPriority = dispatched_at
      ? RECONCILE_PRIORITY
      : highest + Math.max(-rank, LOWEST_PRIORITY);
    return {
      id: jobId(id, attempt),
      singletonKey: String(site_id),
      group: { id: group },
      priority: kind === 'plugin_action' ? URGENT_PRIORITY : runPriority,
      // Before that time, the worker would only release the job again.
      ...(task.window_opens_at && { startAfter: task.window_opens_at }),
      data: { runId: run_id, taskId: id, attempt, host },
    };
  });
}

export type NextAttempt = {
  /** Whether the next attempt reconciles a lost call. */
  reconciles?: boolean;
  afterSeconds?: number;
  address?: string;
  tries?: RetryCounts;
};

export function createNextJob(job: FetchedCallJob, next: NextAttempt): CallJob {
  const { reconciles, afterSeconds = 0, address = job.groupId, tries = job.data.tries } = next;
  const attempt = job.data.attempt + 1;
  return {
    id: jobId(job.data.taskId, attempt),
    singletonKey: job.singletonKey,
    group: { id: address },
    priority: reconciles ? Math.max(job.priority, RECONCILE_PRIORITY) : job.priority,
    startAfter: afterSeconds,
    data: { ...job.data, attempt, tries },
  };
}

/** Encodes task and attempt as one UUID: pg-boss ignores a second job for the same attempt. */
export function jobId(taskId: number, attempt: number): string {
  const digits = [taskId, attempt].map((number) => number.toString(16).padStart(16, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function hostOf(siteUrl: string): string {
  const url = canonicalSiteUrl(siteUrl);
  return url.ok ? new URL(url.origin).hostname : siteUrl;
}
