import type { Inventory, PluginActionRequest, RunKind } from '@steward/contract';
import type { RunItem, RunRequest } from '../tables.ts';
import { type LostCall, reconcileAction, reconcileUpdate } from './reconcile.ts';
import { reconcileInstall, reconcileRestore, reconcileSelfUpdate } from './reconcile-packages.ts';
import type { TaskResult } from './task-outcome.ts';

/** A lost sync is repeated, so there is nothing to reconcile. */
type ReconciledKind = Exclude<RunKind, 'sync'>;
type LostTask = { kind: ReconciledKind; request: RunRequest; items: RunItem[] | null };
/** The last report before the call, and a report after it. */
type Reports = { before: Inventory | null; after: Inventory };

/** How a lost call of each kind is reconciled. */
const RECONCILERS: Record<
  ReconciledKind,
  (task: LostTask, lost: LostCall, reports: Reports) => TaskResult
> = {
  update: ({ items }, lost, { before, after }) => reconcileUpdate(lost, before, after, items),
  plugin_action: ({ request, items }, lost, { before, after }) =>
    reconcileAction(lost, request as PluginActionRequest, before, after, items?.[0]?.version),
  install: ({ items }, lost, { before, after }) =>
    reconcileInstall(lost, items ?? [], before, after),
  restore: ({ items }, lost, { before, after }) =>
    reconcileRestore(lost, items ?? [], before, after),
  self_update: (_task, lost, { before, after }) => reconcileSelfUpdate(lost, before, after),
};

/** Derives the result of a lost call from the next report. */
export function reconcile(task: LostTask, lost: LostCall, reports: Reports): TaskResult {
  return RECONCILERS[task.kind](task, lost, reports);
}
