import type { Trx } from '../../platform/database/tables.ts';
import { type HaltDependencies, haltForTrouble, isOverLimit } from './halt-rollout.ts';
import { lockRollout, type RingRow, type RolloutRow, readRings } from './rollouts.repository.ts';
import { listTroubles } from './site-states.repository.ts';

/** An unfinished run of a rollout, or one whose tasks have ended now. The caller has locked it and its rollout. */
export type RunWithResults = { id: number; rollout_id: number | null; ring: number | null };
export type CancelRun = (runId: number) => Promise<void>;

export type RolloutGuard = ReturnType<typeof createRolloutGuard>;

/**
 * Halts a rollout in the transaction that saves the first result over its limit, so that no further site is called,
 * not even if the process is killed right afterwards.
 */
export function createRolloutGuard(deps: HaltDependencies) {
  return async (trx: Trx, runs: RunWithResults[], cancelRun: CancelRun): Promise<void> => {
    const rollouts = Map.groupBy(runs, ({ rollout_id }) => rollout_id ?? 0);
    // In the order of their ids, to prevent deadlocks. 0: runs without a rollout.
    for (const [rolloutId, runsOfRollout] of [...rollouts].sort(([a], [b]) => a - b)) {
      const rollout = rolloutId === 0 ? undefined : await lockRollout(trx, rolloutId);
      const halted = rollout && (await haltIfOverLimit(trx, rollout, deps));
      if (halted) for (const { id } of runsOfRollout) await cancelRun(id);
    }
  };
}

/** Returns whether the rollout was halted now. The caller has locked it, and must cancel its queued tasks. */
export async function haltIfOverLimit(
  trx: Trx,
  rollout: RolloutRow,
  deps: HaltDependencies,
): Promise<boolean> {
  if (!isActive(rollout)) return false;
  const rings = await readRings(trx, [rollout.id]);
  // Earlier rings too: a repeated check can find trouble there after the next ring has started.
  for (const ring of rings.filter(({ position }) => position <= rollout.ring)) {
    const troubles = await listTroubles(trx, rollout.id, ring.position);
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
