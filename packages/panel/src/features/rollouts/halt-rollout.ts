import type { RolloutHaltCode, RolloutItem } from '@steward/contract';
import type { Trx } from '../../platform/database/handles.ts';
import type { QuarantineService } from '../rules/index.ts';
import { type CancelDependencies, cancelRuns, WORKER_ORIGIN } from '../runs/index.ts';
import { findItemsOverLimit, type ItemOverLimit, type Trouble } from './items-over-limit.ts';
import { type RingRow, type RolloutRow, readRings, updateRollout } from './rollouts.repository.ts';

export type HaltDependencies = CancelDependencies & {
  quarantine: Pick<QuarantineService, 'quarantine'>;
};

/**
 * The only place that compares the troubled sites of a rollout with its limits. Above a limit, it quarantines the items,
 * halts the rollout and cancels its queued tasks. Returns whether a limit is exceeded. The caller has locked the rollout.
 *
 * A call that was in flight when the rollout ended, or a retry, can still show that a version is bad: this version is
 * quarantined too. Versions with only earlier troubles are not, because an owner may have lifted their quarantine.
 */
export async function enforceLimits(
  trx: Trx,
  rollout: RolloutRow,
  deps: HaltDependencies,
  endedTaskIds: number[] = [],
): Promise<boolean> {
  const isNew = ({ task_id }: Trouble) => endedTaskIds.includes(task_id);
  const overLimit = (await findItemsOverLimit(trx, rollout)).filter(
    ({ troubles }) => isActive(rollout) || troubles.some(isNew),
  );
  const [first] = overLimit;
  if (!first) return false;
  const rings = await readRings(trx, [rollout.id]);
  await quarantineItems(trx, rollout, overLimit, rings, deps);
  const ring = rings.find(({ position }) => position === first.ring);
  if (!isActive(rollout) || !ring) {
    await cancelHaltedRuns(trx, rollout, deps);
    return true;
  }
  const troubles = overLimit.filter((over) => over.ring === first.ring).flatMap((o) => o.troubles);
  const [{ error = null } = {}] = troubles;
  const cause = error ? ` First error: ${error}` : '';
  await halt(trx, rollout, ring, `${describeTroubles(ring, troubles)}${cause}`, deps);
  return true;
}

async function quarantineItems(
  trx: Trx,
  rollout: RolloutRow,
  overLimit: ItemOverLimit[],
  rings: RingRow[],
  { quarantine }: HaltDependencies,
): Promise<void> {
  // Two rollouts that halt at the same time may quarantine the same versions. The same order prevents a deadlock.
  for (const { item, ring, troubles } of overLimit.toSorted((a, b) =>
    compareItems(a.item, b.item),
  )) {
    const { type: item_type, slug, version, name = slug } = item;
    // Without the error of the site: users of other sites see this reason.
    const reason = describeTroubles(
      rings.find(({ position }) => position === ring),
      troubles,
    );
    const quarantined = { item_type, slug, version, name, reason, rolloutId: rollout.id };
    await quarantine.quarantine(trx, WORKER_ORIGIN, quarantined);
  }
}

/** Halts an active rollout and cancels its queued tasks. The caller has locked the rollout. */
export async function halt(
  trx: Trx,
  rollout: RolloutRow,
  ring: RingRow,
  reason: string,
  deps: CancelDependencies,
  code: RolloutHaltCode | null = null,
): Promise<void> {
  const { audit, clock, notificationOutbox } = deps;
  const { id, name } = rollout;
  await updateRollout(trx, id, { status: 'halted', halt_reason: reason, halt_code: code });
  const context = { name, ring: ring.name, reason };
  await audit.record(trx, WORKER_ORIGIN, {
    action: 'halt',
    entityType: 'rollout',
    entityId: id,
    context,
  });
  await notificationOutbox.emit(trx, {
    type: 'rollout.halted',
    // With the time: a rollout can halt again after a resume.
    key: `rollout.halted ${id} ${clock.now().toISOString()}`,
    data: { rollout_id: id, name, ring: ring.name, reason, ...(code && { code }) },
  });
  await cancelHaltedRuns(trx, rollout, deps);
}

/** Also cancels retries in earlier rings. */
function cancelHaltedRuns(trx: Trx, { id }: RolloutRow, deps: CancelDependencies): Promise<number> {
  const cancellation = { origin: WORKER_ORIGIN, reason: 'rollout_halted' } as const;
  return cancelRuns(trx, { rolloutIds: [id] }, cancellation, deps);
}

export const isActive = ({ status }: RolloutRow) => status === 'running' || status === 'soaking';

function describeTroubles(ring: RingRow | undefined, troubles: Trouble[]): string {
  const count = new Set(troubles.map(({ site_id }) => site_id)).size;
  const sites = count === 1 ? '1 site' : `${count} sites`;
  return `The update caused trouble on ${sites} in the ring "${ring?.name}".`;
}

const compareItems = (a: RolloutItem, b: RolloutItem) =>
  a.type.localeCompare(b.type) || a.slug.localeCompare(b.slug);
