import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Trx } from '../../platform/database/handles.ts';
import { type CancelDependencies, cancelRuns } from '../runs/index.ts';
import { tables } from './database.ts';
import { isActive } from './halt-rollout.ts';
import { announceChange, lockRollout, updateRollout } from './rollouts.repository.ts';

/**
 * Cancels the active rollouts of a disabled or deleted schedule. Also cancels the halted rollouts of a deleted
 * schedule: without its windows, their next rings would start at any time of day. The caller has locked the schedule.
 */
export async function cancelRolloutsOfSchedule(
  trx: Trx,
  scheduleId: number,
  origin: AuditOrigin,
  { isDeleted, ...deps }: CancelDependencies & { isDeleted: boolean },
): Promise<void> {
  const rollouts = await tables(trx)
    .selectFrom('rollouts')
    .select('id')
    .where('schedule_id', '=', scheduleId)
    .where('finished_at', 'is', null)
    .orderBy('id')
    .execute();
  for (const { id } of rollouts) {
    const rollout = await lockRollout(trx, id);
    if (!rollout) continue;
    const mustCancel = isActive(rollout) || (isDeleted && rollout.status === 'halted');
    if (!mustCancel) continue;
    // This includes retries, which belong to the rollout but not to the schedule.
    await cancelRuns(trx, { rolloutIds: [id] }, { origin, reason: 'schedule_stopped' }, deps);
    await updateRollout(trx, id, { status: 'cancelled', finished_at: deps.clock.now() });
    const context = { name: rollout.name, reason: 'schedule_stopped' };
    await deps.audit.record(trx, origin, {
      action: 'cancel',
      entityType: 'rollout',
      entityId: id,
      context,
    });
    await announceChange(trx, id);
  }
}
