import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Trx } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import { announceFailures } from './announce-failures.ts';
import { cancelledResult, toAuditEntry } from './outcome/task-outcome.ts';
import {
  type LockedRun,
  listUnfinishedRuns,
  listUnfinishedTasks,
  lockRuns,
  markCancelled,
  type RunSelection,
} from './runs.repository.ts';
import { mayEndAs } from './task-states.ts';
import { endTasks } from './worker/tasks.repository.ts';

/** Why the panel cancels a plugin action that has not started: its client gets an error. */
export type WithdrawalReason = 'panel_stopping' | 'not_begun_in_time';

/**
 * `call_taken_back`: the run was cancelled after a call was dispatched, and the call was never sent.
 * `user_disabled`: the user who created the run was disabled. `rollout_halted`: the rollout of the run halted.
 * `schedule_stopped`: the schedule that started the run was disabled or deleted.
 */
type Cancellation = {
  origin: AuditOrigin;
  reason?:
    | WithdrawalReason
    | 'call_taken_back'
    | 'user_disabled'
    | 'rollout_halted'
    | 'schedule_stopped';
};

type CancelTaskDependencies = { clock: Clock; audit: AuditService };
export type CancelDependencies = CancelTaskDependencies & {
  notificationOutbox: Pick<NotificationOutbox, 'emit'>;
};

/** For the audit records of changes that the worker makes without a user request. */
export const WORKER_ORIGIN: AuditOrigin = { actor: 'system', via: 'worker' };

/**
 * Cancels unfinished runs: of a user, a schedule or a rollout, or a single one. Queued tasks end as cancelled; calls in
 * flight finish. Returns the number of cancelled tasks. The caller has locked the schedule or the rollouts of
 * the selection, if any.
 */
export async function cancelRuns(
  trx: Trx,
  selection: RunSelection,
  cancellation: Cancellation,
  deps: CancelDependencies,
): Promise<number> {
  const runs = await lockRuns(trx, await listUnfinishedRuns(trx, selection));
  let cancelled = 0;
  for (const run of runs) {
    if (run.finished_at || run.cancelled_at) continue;
    cancelled += await cancelQueuedTasks(trx, run, cancellation, deps);
    // Otherwise a dispatched task whose call is not sent would return to the queue.
    await markCancelled(trx, run.id, deps.clock.now());
  }
  // A user who cancels a run knows its failures. The runs of a schedule or a rollout have no such user.
  if ('scheduleId' in selection || 'rolloutIds' in selection) {
    const runIds = runs.map(({ id }) => id);
    await announceFailures(trx, deps.notificationOutbox, runIds);
  }
  return cancelled;
}

/**
 * Cancels the tasks whose site was not called, with one audit record for the run and one per site. Their jobs stay in
 * the queue, so that the command line can cancel too: workers end the jobs of cancelled tasks. Returns the number of
 * cancelled tasks. The caller has locked the run.
 */
export async function cancelQueuedTasks(
  trx: Trx,
  { id, request }: LockedRun,
  { origin, reason }: Cancellation,
  { clock, audit }: CancelTaskDependencies,
): Promise<number> {
  const result = cancelledResult();
  const unfinished = await listUnfinishedTasks(trx, id);
  const tasks = unfinished.filter(({ status }) => mayEndAs(status, 'cancelled'));
  // A cancel by a user is recorded even without tasks. A cancel with a reason is not.
  if (tasks.length === 0 && reason) return 0;
  const results = tasks.map((task) => ({ id: task.id, attempt: task.attempt, ...result }));
  await endTasks(trx, results, clock.now());
  const context = { cancelled: tasks.length, ...(reason && { reason }) };
  const cancelled = { action: 'cancel', entityType: 'run', entityId: id, context } as const;
  const siteRecords = tasks.map((task) => toAuditEntry({ ...task, request }, result));
  await audit.record(trx, origin, [cancelled, ...siteRecords]);
  return tasks.length;
}
