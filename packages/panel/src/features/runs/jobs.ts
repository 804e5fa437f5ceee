import { canonicalSiteUrl } from '@steward/contract';
import type { RunKind } from '../../database/tables.ts';
import type { NewJob, Queue, TakenJob } from '../../lib/queue.ts';

/** One attempt at a task, which is one call to its site at most. */
export type CallJobData = {
  runId: number;
  taskId: number;
  attempt: number;
  host: string;
  /** Calls so far that had to be repeated, by what stood in their way. */
  tries?: { [hindrance: string]: number };
};

export type CallJob = NewJob<CallJobData>;
export type TakenCallJob = TakenJob<CallJobData>;
export type CallQueue = Queue<CallJobData>;

export type TaskToQueue = {
  id: number;
  run_id: number;
  site_id: number;
  attempt: number;
  kind: RunKind;
  site_url: string;
  /** Where the site was at its last call; null: it was never called. */
  address: string | null;
  called_at: Date | null;
};

/** A user waits for jobs of this priority. */
export const URGENT = 2;
/** Before other jobs of runs: the site is held, and is asked for a short time only. */
const RECONCILE = 1;
/** Low enough to let other addresses go first, not so low that every newer run does. */
const LOWEST_PRIORITY = -20;

/**
 * Interleaved by address: only few calls go to one address at once, and a thousand sites of one
 * provider must not stand in the way of all others.
 */
export function jobsFor(tasks: TaskToQueue[]): CallJob[] {
  const rankAt = new Map<string, number>();
  return tasks.map(({ id, run_id, site_id, attempt, kind, site_url, address, called_at }) => {
    const host = hostOf(site_url);
    const group = address ?? host;
    const rank = rankAt.get(group) ?? 0;
    rankAt.set(group, rank + 1);
    return {
      id: jobId(id, attempt),
      singletonKey: String(site_id),
      group: { id: group },
      priority: priorityOf(kind, called_at ? RECONCILE : Math.max(-rank, LOWEST_PRIORITY)),
      data: { runId: run_id, taskId: id, attempt, host },
    };
  });
}

function priorityOf(kind: RunKind, otherwise: number): number {
  return kind === 'plugin_action' ? URGENT : otherwise;
}

export type NextAttempt = {
  /** What became of a call is to be found out. */
  reconciles?: boolean;
  afterSeconds?: number;
  address?: string;
  tries?: NonNullable<CallJobData['tries']>;
};

export function nextJob(job: TakenCallJob, next: NextAttempt): CallJob {
  const { singletonKey } = job;
  const priority = next.reconciles ? Math.max(job.priority, RECONCILE) : job.priority;
  const { afterSeconds: startAfter = 0, address = job.groupId, tries = job.data.tries } = next;
  const attempt = job.data.attempt + 1;
  return {
    id: jobId(job.data.taskId, attempt),
    data: { ...job.data, attempt, ...(tries && { tries }) },
    priority,
    singletonKey: singletonKey ?? '',
    group: { id: address || job.data.host },
    startAfter,
  };
}

/** Task and attempt as one UUID: pg-boss ignores a second job for the same attempt. */
export function jobId(taskId: number, attempt: number): string {
  const digits = [taskId, attempt].map((number) => number.toString(16).padStart(16, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** How long the worker has the job, unless it sends a heartbeat. */
export function leaseMs({ heartbeatSeconds }: TakenCallJob): number {
  return (heartbeatSeconds ?? 0) * 1000;
}

function hostOf(siteUrl: string): string {
  const url = canonicalSiteUrl(siteUrl);
  return url.ok ? new URL(url.origin).hostname : siteUrl;
}
