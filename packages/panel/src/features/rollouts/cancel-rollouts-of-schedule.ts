import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Trx } from '../../platform/database/tables.ts';
import type { AuditService } from '../audit/index.ts';
import { isActive } from './rollout-guard.ts';
import { announceChange, lockRollout, updateRollout } from './rollouts.repository.ts';

/**
 * Ends the active rollouts of a schedule that was disabled or deleted: without its windows, their next rings would start
 * at any time of day. The caller has locked the schedule and the runs.
 */
export async function cancelRolloutsOfSchedule(
  trx: Trx,
  scheduleId: number,
  origin: AuditOrigin,
  { clock, audit }: { clock: Clock; audit: AuditService },
): Promise<void> {
  const rollouts = await trx
    .selectFrom('rollouts')
    .select('id')
    .where('schedule_id', '=', scheduleId)
    .where('finished_at', 'is', null)
    .orderBy('id')
    .execute();
  for (const { id } of rollouts) {
    const rollout = await lockRollout(trx, id);
    if (!rollout || !isActive(rollout)) continue;
    await updateRollout(trx, id, { status: 'cancelled', finished_at: clock.now() });
    const context = { name: rollout.name, reason: 'schedule_stopped' };
    await audit.record(trx, origin, {
      action: 'cancel',
      entityType: 'rollout',
      entityId: id,
      context,
    });
    await announceChange(trx, id);
  }
}
