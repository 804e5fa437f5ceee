import type { GuardRollouts } from '../runs/index.ts';
import { enforceLimits, type HaltDependencies } from './halt-rollout.ts';
import { lockRollout, type RolloutRow } from './rollouts.repository.ts';

/**
 * Halts a rollout in the transaction that saves the first result over its limit, so that no further site is called,
 * not even if the process is killed right afterwards.
 */
export function createRolloutGuard(deps: HaltDependencies): GuardRollouts {
  return async (trx, rolloutIds, save) => {
    const rollouts: RolloutRow[] = [];
    // In the order of their ids, to prevent deadlocks.
    for (const id of rolloutIds.toSorted((a, b) => a - b)) {
      const rollout = await lockRollout(trx, id);
      if (rollout) rollouts.push(rollout);
    }
    const saved = await save();
    if (saved.endedTaskIds.length === 0) return saved;
    for (const rollout of rollouts) await enforceLimits(trx, rollout, deps, saved.endedTaskIds);
    return saved;
  };
}
