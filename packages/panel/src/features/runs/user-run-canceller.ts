import type { Clock } from '../../platform/clock.ts';
import type { CancelRunsOfUser } from '../accounts/index.ts';
import type { AuditService } from '../audit/index.ts';
import { listUncancelledRuns, lockRuns, markCancelled } from './runs.repository.ts';
import { cancelUncalledTasks } from './worker/save-results.ts';

/**
 * Cancels all runs of a disabled user. Queued tasks end as cancelled; calls in flight finish.
 * Returns the number of cancelled tasks.
 */
export function createUserRunCanceller(deps: {
  clock: Clock;
  audit: AuditService;
}): CancelRunsOfUser {
  // The command line opens no queue, so the jobs stay. Workers drop the job of an ended task.
  const queue = { cancel: async () => {} };
  return async (trx, userId, origin) => {
    let cancelled = 0;
    for (const run of await lockRuns(trx, await listUncancelledRuns(trx, userId))) {
      if (run.finished_at || run.cancelled_at) continue;
      cancelled += await cancelUncalledTasks(
        trx,
        run,
        { origin, reason: 'user_disabled' },
        { ...deps, queue },
      );
      await markCancelled(trx, run.id, deps.clock.now());
    }
    return cancelled;
  };
}
