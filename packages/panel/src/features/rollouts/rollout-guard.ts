import type { Trx } from '../../platform/database/tables.ts';
import { type HaltDependencies, haltForTrouble, quarantineItems } from './halt-rollout.ts';
import { findItemsOverLimit } from './judge-items.ts';
import { lockRollout, type RolloutRow, readRings } from './rollouts.repository.ts';

/** An unfinished run of a rollout, or one whose tasks have ended now. The caller has locked it and its rollout. */
export type RunWithResults = { id: number; rollout_id: number | null; ring: number | null };
export type SavedResults = { runs: RunWithResults[]; taskIds: number[] };
export type CancelRun = (runId: number) => Promise<void>;

export type RolloutGuard = ReturnType<typeof createRolloutGuard>;

/**
 * Halts a rollout in the transaction that saves the first result over its limit, so that no further site is called,
 * not even if the process is killed right afterwards.
 */
export function createRolloutGuard(deps: HaltDependencies) {
  return async (trx: Trx, { runs, taskIds }: SavedResults, cancelRun: CancelRun): Promise<void> => {
    const rollouts = Map.groupBy(runs, ({ rollout_id }) => rollout_id ?? 0);
    // In the order of their ids, to prevent deadlocks. 0: runs without a rollout.
    for (const [rolloutId, runsOfRollout] of [...rollouts].sort(([a], [b]) => a - b)) {
      const rollout = rolloutId === 0 ? undefined : await lockRollout(trx, rolloutId);
      const hasTrouble = rollout && (await stopForTrouble(trx, rollout, taskIds, deps));
      if (hasTrouble) for (const { id } of runsOfRollout) await cancelRun(id);
    }
  };
}

/**
 * A call that was in flight when the rollout ended, or a retry, can still show that a version is bad: this version is
 * quarantined too. Versions with only earlier troubles are not, because an owner may have lifted their quarantine.
 */
async function stopForTrouble(
  trx: Trx,
  rollout: RolloutRow,
  taskIds: number[],
  deps: HaltDependencies,
): Promise<boolean> {
  if (isActive(rollout)) return haltIfOverLimit(trx, rollout, deps);
  const overLimit = (await findItemsOverLimit(trx, rollout)).filter(({ troubles }) =>
    troubles.some(({ task_id }) => taskIds.includes(task_id)),
  );
  if (overLimit.length === 0) return false;
  await quarantineItems(trx, rollout, overLimit, await readRings(trx, [rollout.id]), deps);
  return true;
}

/** Returns whether the rollout was halted now. The caller has locked it, and must cancel its queued tasks. */
export async function haltIfOverLimit(
  trx: Trx,
  rollout: RolloutRow,
  deps: HaltDependencies,
): Promise<boolean> {
  if (!isActive(rollout)) return false;
  // Of all rings: a repeated check can find trouble in an earlier ring after the next one has started.
  const overLimit = await findItemsOverLimit(trx, rollout);
  if (overLimit.length === 0) return false;
  await haltForTrouble(trx, rollout, overLimit, await readRings(trx, [rollout.id]), deps);
  return true;
}

export const isActive = ({ status }: RolloutRow) => status === 'running' || status === 'soaking';
