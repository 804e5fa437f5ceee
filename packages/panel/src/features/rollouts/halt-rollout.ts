import type { RolloutItem } from '@steward/contract';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Trx } from '../../platform/database/tables.ts';
import type { AuditService } from '../audit/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import type { QuarantineService } from '../rules/index.ts';
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

/** Whether the troubled sites of a ring exceed the limit of the rollout. */
export function isOverLimit(
  { settings }: Pick<RolloutRow, 'settings'>,
  { sites }: Pick<RingRow, 'sites'>,
  { troubled, isFirstRing }: { troubled: number; isFirstRing: boolean },
): boolean {
  if (isFirstRing) return troubled > settings.first_ring_max_troubled;
  return troubled * 100 > settings.later_max_troubled_percent * sites;
}

/** Halts the rollout and quarantines the versions that may have caused the trouble. */
export async function haltForTrouble(
  trx: Trx,
  rollout: RolloutRow,
  ring: RingRow,
  troubles: Trouble[],
  deps: HaltDependencies,
): Promise<void> {
  const reason = describeTroubles(ring, troubles);
  // In the same order in all rollouts: two that halt at the same time may quarantine the same versions.
  for (const item of rollout.items.toSorted(compareItems)) {
    const isSuspect = troubles.some(({ items }) => items.some((other) => isSameItem(item, other)));
    if (!isSuspect) continue;
    const { type: item_type, slug, version, name = slug } = item;
    const quarantined = { item_type, slug, version, name, reason, rolloutId: rollout.id };
    await deps.quarantine.quarantine(trx, HALT_ORIGIN, quarantined);
  }
  await halt(trx, rollout, ring, reason, deps);
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

function describeTroubles(ring: RingRow, troubles: Trouble[]): string {
  const [first] = troubles;
  const sites = troubles.length === 1 ? '1 site' : `${troubles.length} sites`;
  const cause = first?.error ? ` First error: ${first.error}` : '';
  return `The update caused trouble on ${sites} in the ring "${ring.name}".${cause}`;
}

export const describeItem = ({ name, slug, version }: RolloutItem) => `${name ?? slug} ${version}`;

const compareItems = (a: RolloutItem, b: RolloutItem) =>
  a.type.localeCompare(b.type) || a.slug.localeCompare(b.slug);

const isSameItem = (a: RolloutItem, b: RolloutItem) => a.type === b.type && a.slug === b.slug;
