import type { Trx } from '../../database/tables.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AuditService, Origin } from '../audit/audit.service.ts';
import { type CallQueue, jobId } from './jobs.ts';
import { neverCalled, taskAudit } from './outcome/task-outcome.ts';
import { cancelUncalled, countDown, type RunRow } from './runs.repository.ts';
import { leaveSites } from './worker/tasks.repository.ts';

/** Why the panel itself ends what it has not begun. */
export type WithdrawalReason = 'panel_stopping' | 'not_begun_in_time';

/** `call_taken_back`: the run was cancelled while a call of it was noted that did not come about. */
type By = { origin: Origin; reason?: WithdrawalReason | 'call_taken_back' };
type Dependencies = { clock: Clock; audit: AuditService; queue: Pick<CallQueue, 'cancel'> };

/** No user asked for it at that moment. */
export const BY_WORKER: Origin = { actor: 'system', via: 'worker' };

/**
 * Ends what no site was called for, with a record of the run and one of each of those sites; gives how
 * many. The run must be locked.
 */
export async function endUncalled(
  trx: Trx,
  run: RunRow,
  { origin, reason }: By,
  { clock, audit, queue }: Dependencies,
): Promise<number> {
  const tasks = await cancelUncalled(trx, run.id, clock.now());
  // A person's wish is recorded in any case; the panel had none if there was nothing to end.
  if (tasks.length === 0 && reason) return 0;
  await leaveSites(
    trx,
    tasks.map(({ id }) => id),
  );
  await queue.cancel(
    trx,
    tasks.map(({ id, attempt }) => jobId(id, attempt)),
  );
  await countDown(trx, run.id, tasks.length, clock.now());
  const { kind, request } = run;
  const cancelled = {
    action: 'cancel',
    entityType: 'run',
    entityId: run.id,
    context: { cancelled: tasks.length, ...(reason && { reason }) },
  };
  const ofSites = tasks.map(({ site_id }) =>
    taskAudit({ run_id: run.id, site_id, kind, request }, neverCalled()),
  );
  await audit.record(trx, origin, [cancelled, ...ofSites]);
  return tasks.length;
}
