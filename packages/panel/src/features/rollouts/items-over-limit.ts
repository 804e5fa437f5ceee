import type { RolloutItem } from '@steward/contract';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { findError, isTroubled, judgeItems, LATER_TROUBLE } from '../health/index.ts';
import type { RolloutRow } from './rollouts.repository.ts';
import { countItemSites, type ItemCount, readTasksToJudge } from './site-states.repository.ts';

/** A troubled site, with the items that may have caused the trouble. */
export type Trouble = {
  ring: number;
  site_id: number;
  task_id: number;
  items: RolloutItem[];
  error: string;
};

/** Lists the troubled sites in the order in which their tasks ended, by default without those that a user has accepted. */
export async function listTroubles(
  db: Database,
  rolloutId: number,
  options: { withAccepted?: boolean } = {},
): Promise<Trouble[]> {
  const tasks = await readTasksToJudge(db, rolloutId, options);
  return tasks.filter(isTroubled).map(({ ring, site_id, task_id, ...task }) => ({
    ...{ ring, site_id, task_id },
    items: judgeItems(task, task.items ?? []).flatMap(({ item, isSuspect }) =>
      isSuspect ? [item] : [],
    ),
    error: task.error ?? findError(task.failures) ?? task.note ?? task.watch_error ?? LATER_TROUBLE,
  }));
}

/** An item that caused trouble on more sites of a ring than the limits of the rollout allow. */
export type ItemOverLimit = { item: RolloutItem; ring: number; troubles: Trouble[] };

/** Finds the items over their limit, in all rings: a repeated check can find trouble after the next ring has started. */
export async function findItemsOverLimit(
  trx: Trx,
  rollout: Pick<RolloutRow, 'id' | 'items' | 'settings'>,
): Promise<ItemOverLimit[]> {
  const troubles = await listTroubles(trx, rollout.id);
  if (troubles.length === 0) return [];
  return compareWithLimits(rollout, troubles, await countItemSites(trx, rollout.id));
}

/**
 * Each item is judged alone, and only by the sites that got it: a plugin of a few sites would otherwise stay under the
 * limit of a large ring even if it broke all of them.
 */
export function compareWithLimits<T extends Pick<Trouble, 'ring' | 'items'>>(
  { items, settings }: Pick<RolloutRow, 'items' | 'settings'>,
  troubles: T[],
  counts: ItemCount[],
): { item: RolloutItem; ring: number; troubles: T[] }[] {
  return items.flatMap((item) => {
    const ofItem = troubles.filter((trouble) =>
      trouble.items.some((other) => isSameItem(item, other)),
    );
    const byRing = Map.groupBy(ofItem, ({ ring }) => ring);
    const firstRing = findFirstRing(item, counts);
    return [...byRing].flatMap(([ring, troublesOfRing]) => {
      const { tried = 0, open = 0 } =
        counts.find((count) => count.ring === ring && isSameItem(item, count)) ?? {};
      const isOver =
        ring === firstRing
          ? troublesOfRing.length > settings.first_ring_max_troubled
          : troublesOfRing.length * 100 > settings.later_max_troubled_percent * (tried + open);
      return isOver ? [{ item, ring, troubles: troublesOfRing }] : [];
    });
  });
}

/** A ring in which no site tried the item proves nothing, so the next one counts as the first. */
function findFirstRing(item: RolloutItem, counts: ItemCount[]): number | undefined {
  const rings = counts.filter((count) => count.tried > 0 && isSameItem(item, count));
  return rings.map(({ ring }) => ring).toSorted((a, b) => a - b)[0];
}

type ItemKey = { type: string; slug: string };

export const isSameItem = (a: ItemKey, b: ItemKey): boolean =>
  a.type === b.type && a.slug === b.slug;
