import type { Trx } from '../../platform/database/tables.ts';
import { type HaltDependencies, haltForTrouble, isOverLimit } from './halt-rollout.ts';
import { lockRollout, type RingRow, type RolloutRow, readRings } from './rollouts.repository.ts';
import { listTroubles } from './site-states.repository.ts';

/** A run of a rollout whose tasks have ended. The caller has locked it. */
export type EndedRun = { id: number; rollout_id: number | null; ring: number | null };
export type CancelRun = (runId: number) => Promise<void>;

export type RolloutGuard = ReturnType<typeof createRolloutGuard>;

/**
 * Halts a rollout in the transaction that saves the first result over its limit, so that no further site is called,
 * not even if the process is killed right afterwards.
 */
export function createRolloutGuard(deps: HaltDependencies) {
  return async (trx: Trx, runs: EndedRun[], cancelRun: CancelRun): Promise<void> => {
    const rollouts = Map.groupBy(runs, ({ rollout_id }) => rollout_id ?? 0);
    // In the order of their ids, to prevent deadlocks. 0: runs without a rollout.
    for (const [rolloutId, runsOfRollout] of [...rollouts].sort(([a], [b]) => a - b)) {
      if (rolloutId === 0) continue;
      const halted = await haltIfOverLimit(trx, rolloutId, deps);
      if (halted) for (const { id } of runsOfRollout) await cancelRun(id);
    }
  };
}

/** Returns whether the rollout was halted now. The caller has locked the runs of the current ring. */
export async function haltIfOverLimit(
  trx: Trx,
  rolloutId: number,
  deps: HaltDependencies,
): Promise<boolean> {
  const rollout = await lockRollout(trx, rolloutId);
  if (!rollout || !isActive(rollout)) return false;
  const rings = await readRings(trx, [rolloutId]);
  // Earlier rings too: a later check may find trouble in a ring after the next one has started.
  for (const ring of rings.filter(({ position }) => position <= rollout.ring)) {
    const troubles = await listTroubles(trx, rolloutId, ring.position);
    const isFirstRing = isFirst(ring, rings);
    if (!isOverLimit(rollout, ring, { troubled: troubles.length, isFirstRing })) continue;
    await haltForTrouble(trx, rollout, ring, troubles, deps);
    return true;
  }
  return false;
}

export const isActive = ({ status }: RolloutRow) => status === 'running' || status === 'soaking';

/** Whether this is the first ring with sites. A ring is empty if no site has its tag. */
export const isFirst = (ring: RingRow, rings: RingRow[]) =>
  rings.find(({ sites }) => sites > 0)?.position === ring.position;
