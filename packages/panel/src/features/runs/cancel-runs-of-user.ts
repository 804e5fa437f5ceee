import type { Clock } from '../../platform/clock.ts';
import type { CancelRunsOfUser } from '../accounts/index.ts';
import type { AuditService } from '../audit/index.ts';
import { lockRuns, markCancelled, uncancelledRunsOf } from './runs.repository.ts';
import { endUncalled } from './worker/save-results.ts';

/**
 * Cancels all runs of a user who is disabled: what has not begun ends as cancelled, what is under way is finished.
 * Gives how many tasks it has ended.
 */
export function createCancelRunsOfUser(deps: {
  clock: Clock;
  audit: AuditService;
}): CancelRunsOfUser {
  // The command line opens no queue. A worker drops the job of a task that has ended.
  const queue = { cancel: async () => {} };
  return async (trx, userId, origin) => {
    let ended = 0;
    for (const run of await lockRuns(trx, await uncancelledRunsOf(trx, userId))) {
      if (run.finished_at || run.cancelled_at) continue;
      ended += await endUncalled(trx, run, { origin, reason: 'user_disabled' }, { ...deps, queue });
      await markCancelled(trx, run.id, deps.clock.now());
    }
    return ended;
  };
}
