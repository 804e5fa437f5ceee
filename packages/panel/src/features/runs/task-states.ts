import type { TaskStatus } from './tables.ts';

/** The statuses of a task that has not ended. `unknown` is also the end of a task that cannot be reconciled. */
export type OpenStatus = Extract<TaskStatus, 'queued' | 'running' | 'unknown'>;
export type EndStatus = Exclude<TaskStatus, 'queued' | 'running'>;

/** The results of a call, or of an attempt that failed in the panel. */
const RESULTS = ['succeeded', 'partial', 'failed', 'unverified', 'unknown', 'refused'] as const;

/**
 * The state machine of tasks: from each open status, the statuses that may follow. An ended task never changes. Only a
 * task whose site was not called can be cancelled: an update that stops halfway can break a site.
 */
export const TASK_TRANSITIONS: Record<
  OpenStatus,
  { open: readonly OpenStatus[]; ended: readonly EndStatus[] }
> = {
  /** `unknown`: the panel could not save why it ended the task. */
  queued: { open: ['queued', 'running'], ended: ['refused', 'cancelled', 'unknown'] },
  running: { open: ['queued', 'unknown'], ended: RESULTS },
  /** A lost sync runs again, because a sync changes nothing. Other lost calls are reconciled. */
  unknown: { open: ['unknown', 'running'], ended: RESULTS },
};

export function mayEndAs(status: TaskStatus, next: EndStatus): boolean {
  return isOpenStatus(status) && TASK_TRANSITIONS[status].ended.includes(next);
}

const isOpenStatus = (status: TaskStatus): status is OpenStatus => status in TASK_TRANSITIONS;
