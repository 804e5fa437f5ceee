import type { Trx } from '../../platform/database/handles.ts';
import type { GuardRollouts } from '../runs/index.ts';
import { enforceLimits, type HaltDependencies } from './halt-rollout.ts';
import { listSplits } from './proof.repository.ts';
import { lockRollout, type RolloutRow } from './rollouts.repository.ts';

/**
 * Halts a rollout in the transaction that saves the first result over its limit, so that no further site is called,
 * not even if the process is killed right afterwards. The results also count for the rollouts that were split from it.
 */
export function createRolloutGuard(deps: HaltDependencies): GuardRollouts {
  return async (trx, rolloutIds, save) => {
    const rollouts = await lockWithSplits(trx, rolloutIds);
    const saved = await save();
    if (saved.endedTaskIds.length === 0) return saved;
    for (const rollout of rollouts) await enforceLimits(trx, rollout, deps, saved.endedTaskIds);
    return saved;
  };
}

/** Locks in the order of the ids, to prevent deadlocks. */
async function lockWithSplits(trx: Trx, rolloutIds: number[]): Promise<RolloutRow[]> {
  const rollouts: RolloutRow[] = [];
  const locked = new Set<number>();
  let ids = rolloutIds;
  while (ids.length > 0) {
    // A rollout can be split until it is locked, so its splits are read again afterwards.
    const wanted = [...new Set([...ids, ...(await listSplits(trx, ids))])];
    for (const id of wanted.toSorted((a, b) => a - b)) {
      if (locked.has(id)) continue;
      locked.add(id);
      const rollout = await lockRollout(trx, id);
      if (rollout) rollouts.push(rollout);
    }
    ids = (await listSplits(trx, [...locked])).filter((id) => !locked.has(id));
  }
  return rollouts;
}
