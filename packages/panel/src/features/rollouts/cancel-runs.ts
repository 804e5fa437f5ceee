import type { Trx } from '../../platform/database/tables.ts';
import { cancelUncalledTasks, listUnfinishedRunsOf, lockRuns } from '../runs/index.ts';

type Cancellation = Parameters<typeof cancelUncalledTasks>[2];
type Dependencies = Parameters<typeof cancelUncalledTasks>[3];

/**
 * Cancels the queued tasks of all runs of a rollout, also of retries in earlier rings. Calls in flight finish. Returns
 * the runs that were unfinished. The caller has locked the rollout.
 */
export async function cancelRuns(
  trx: Trx,
  rolloutId: number,
  cancellation: Cancellation,
  deps: Dependencies,
) {
  const runs = await lockRuns(trx, await listUnfinishedRunsOf(trx, [rolloutId]));
  for (const run of runs) await cancelUncalledTasks(trx, run, cancellation, deps);
  return runs;
}
