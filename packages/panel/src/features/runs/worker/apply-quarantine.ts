import { HELD_ITEMS_SHOWN_MAX, type HeldItems } from '@steward/contract';
import type { Trx } from '../../../platform/database/tables.ts';
import { createHoldFinder } from '../../rules/index.ts';
import { updateTaskItems } from '../hold-back.repository.ts';
import { canBeHeld, holdBack } from '../hold-back.ts';
import type { TaskResult } from '../outcome/task-outcome.ts';
import type { OpenTask } from './tasks.repository.ts';

/**
 * Removes versions from the tasks that were quarantined after their run was created. Without an open quarantine this is
 * one query. A task that reconciles installs nothing, so it is left alone.
 */
export async function applyQuarantine(trx: Trx, tasks: OpenTask[], now: Date) {
  const refusals = new Map<number, TaskResult>();
  const changed = new Set<OpenTask>();
  const installing = tasks.filter((task) => task.dispatched_at === null && canBeHeld(task));
  const siteIds = [...new Set(installing.map(({ site_id }) => site_id))];
  const finder = await createHoldFinder(trx, siteIds, { now, onlyQuarantine: true });
  for (const task of finder ? installing : []) {
    if (!finder) break;
    const { kind, request, site_id: siteId, items: before, capabilities } = task;
    const supportsItems = capabilities?.includes('update.items') ?? false;
    const asked = { kind, request, siteId, items: before, supportsItems };
    const { items, refusal, held } = holdBack(asked, finder);
    if (refusal) refusals.set(task.id, refusal);
    else task.items = items;
    if (held) task.held = mergeHeld(task.held, held);
    if (held || JSON.stringify(task.items) !== JSON.stringify(before)) changed.add(task);
  }
  return {
    refusals,
    changed,
    /** Stores the changes of the tasks that are called or ended now. The others are decided again later. */
    store: (decided: OpenTask[]): Promise<void> =>
      updateTaskItems(
        trx,
        decided
          .filter((task) => changed.has(task))
          .map(({ id, items, held }) => ({ id, items, held })),
      ),
  };
}

function mergeHeld(before: HeldItems | null, added: HeldItems): HeldItems {
  if (!before) return added;
  const items = [...before.items, ...added.items].slice(0, HELD_ITEMS_SHOWN_MAX);
  return { count: before.count + added.count, items };
}
