import type { RolloutItem } from '@steward/contract';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Trx } from '../../platform/database/tables.ts';
import type { AuditService } from '../audit/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import type { QuarantineService } from '../rules/index.ts';
import type { ItemOverLimit } from './judge-items.ts';
import type { RingRow, RolloutRow } from './rollouts.repository.ts';
import { updateRollout } from './rollouts.repository.ts';
import type { Trouble } from './site-states.repository.ts';

export type HaltDependencies = {
  audit: AuditService;
  clock: Clock;
  notificationOutbox: NotificationOutbox;
  quarantine: Pick<QuarantineService, 'quarantine'>;
};

const HALT_ORIGIN: AuditOrigin = { actor: 'system', via: 'worker' };

/** Halts the rollout and quarantines the items over their limit. */
export async function haltForTrouble(
  trx: Trx,
  rollout: RolloutRow,
  overLimit: ItemOverLimit[],
  rings: RingRow[],
  deps: HaltDependencies,
): Promise<void> {
  await quarantineItems(trx, rollout, overLimit, rings, deps);
  const [first] = overLimit;
  const ring = rings.find(({ position }) => position === first?.ring);
  if (!first || !ring) return;
  const ofRing = overLimit.filter((over) => over.ring === first.ring);
  const troubles = ofRing.flatMap((over) => over.troubles);
  const [{ error = null } = {}] = troubles;
  const cause = error ? ` First error: ${error}` : '';
  await halt(trx, rollout, ring, `${describeTroubles(ring, troubles)}${cause}`, deps);
}

export async function quarantineItems(
  trx: Trx,
  rollout: RolloutRow,
  overLimit: ItemOverLimit[],
  rings: RingRow[],
  { quarantine }: Pick<HaltDependencies, 'quarantine'>,
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
    await quarantine.quarantine(trx, HALT_ORIGIN, quarantined);
  }
}

export async function halt(
  trx: Trx,
  { id, name }: RolloutRow,
  ring: RingRow,
  reason: string,
  { audit, clock, notificationOutbox }: Omit<HaltDependencies, 'quarantine'>,
): Promise<void> {
  await updateRollout(trx, id, { status: 'halted', halt_reason: reason });
  const context = { name, ring: ring.name, reason };
  await audit.record(trx, HALT_ORIGIN, {
    action: 'halt',
    entityType: 'rollout',
    entityId: id,
    context,
  });
  await notificationOutbox.emit(trx, {
    type: 'rollout.halted',
    // With the time: a rollout can halt again after a resume.
    key: `rollout.halted ${id} ${clock.now().toISOString()}`,
    data: { rollout_id: id, name, ring: ring.name, reason },
  });
}

function describeTroubles(ring: RingRow | undefined, troubles: Trouble[]): string {
  const count = new Set(troubles.map(({ site_id }) => site_id)).size;
  const sites = count === 1 ? '1 site' : `${count} sites`;
  return `The update caused trouble on ${sites} in the ring "${ring?.name}".`;
}

export const describeItem = ({ name, slug, version }: RolloutItem) => `${name ?? slug} ${version}`;

const compareItems = (a: RolloutItem, b: RolloutItem) =>
  a.type.localeCompare(b.type) || a.slug.localeCompare(b.slug);
