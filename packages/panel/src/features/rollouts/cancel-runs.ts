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
 * Cancels all runs of a rollout, also retries in earlier rings. Calls in flight finish. The caller has locked the
 * rollout.
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
    // A task whose call could not be sent would wait for its next attempt.
    await markCancelled(trx, run.id, deps.clock.now());
  }
  const runIds = runs.map(({ id }) => id);
  await announceFailures(trx, deps.notificationOutbox, runIds);
}
