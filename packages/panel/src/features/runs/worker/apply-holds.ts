import { HELD_ITEMS_SHOWN_MAX, type HeldItems } from '@steward/contract';
import type { Trx } from '../../../platform/database/handles.ts';
import { createHoldFinder, type HoldFinder } from '../../rules/index.ts';
import { isInWindow } from '../call-window.ts';
import { updateTaskItems } from '../hold-back.repository.ts';
import { canBeHeld, holdBack } from '../hold-back.ts';
import type { TaskResult } from '../outcome/task-outcome.ts';
import type { OpenTask } from './tasks.repository.ts';

/**
 * Removes the versions that were quarantined after the runs of the tasks were created. For tasks whose window is open
 * now, the rules apply again too: the task may have waited for days, and the rules may have changed. Without rules and
 * quarantine, this is one query for the tasks with an open window and one for the others. A task that reconciles
 * installs nothing, so it does not change.
 */
export async function applyHolds(trx: Trx, tasks: OpenTask[], now: Date) {
  const refusals = new Map<number, TaskResult>();
  const changed = new Set<OpenTask>();
  const installing = tasks.filter((task) => task.dispatched_at === null && canBeHeld(task));
  for (const [isInOpenWindow, group] of Map.groupBy(installing, (task) => isInWindow(task, now))) {
    const siteIds = [...new Set(group.map(({ site_id }) => site_id))];
    const requested = isInOpenWindow ? group.flatMap(({ items }) => items ?? []) : [];
    const options = { now, onlyQuarantine: !isInOpenWindow, requested };
    const finder = await createHoldFinder(trx, siteIds, options);
    if (finder) for (const task of group) apply(task, finder);
  }

  function apply(task: OpenTask, finder: HoldFinder): void {
    const { kind, request, site_id: siteId, items: before, capabilities } = task;
    const supportsItems = capabilities?.includes('update.items') ?? false;
    const planned = { kind, request, siteId, items: before, supportsItems };
    const { items, refusal, held } = holdBack(planned, finder);
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
