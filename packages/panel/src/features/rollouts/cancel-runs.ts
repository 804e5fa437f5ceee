import type { Trx } from '../../platform/database/tables.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import {
  announceFailures,
  cancelUncalledTasks,
  listUnfinishedRunsOfRollouts,
  lockRuns,
  markCancelled,
} from '../runs/index.ts';

type Cancellation = Parameters<typeof cancelUncalledTasks>[2];
export type CancelDependencies = Parameters<typeof cancelUncalledTasks>[3] & {
  notificationOutbox: Pick<NotificationOutbox, 'emit'>;
};

/**
 * Cancels all unfinished runs of a rollout, also retries in earlier rings. Calls in flight finish. The caller has
 * locked the rollout.
 */
export async function cancelRuns(
  trx: Trx,
  rolloutId: number,
  cancellation: Cancellation,
  deps: CancelDependencies,
) {
  const runs = await lockRuns(trx, await listUnfinishedRunsOfRollouts(trx, [rolloutId]));
  for (const run of runs) {
    await cancelUncalledTasks(trx, run, cancellation, deps);
    // Otherwise a dispatched task whose call is not sent would return to the queue.
    await markCancelled(trx, run.id, deps.clock.now());
  }
  const runIds = runs.map(({ id }) => id);
  await announceFailures(trx, deps.notificationOutbox, runIds);
}
