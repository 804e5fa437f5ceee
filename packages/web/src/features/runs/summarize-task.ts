import { describeItems, pluginName } from '../../lib/run-items.ts';
import { outcomeOf } from '../../lib/run-outcomes.ts';
import type { Run, Task } from '../../lib/runs-api.ts';
import { runsMessages } from '../../messages/runs.ts';
import { formatOpening } from '../../messages/schedules.ts';
import { findOnlyFailure } from './list-items.ts';

const messages = runsMessages.task;

/** Describes the result of a task, or the reason for its failure, in one line. */
export function summarizeTask(run: Run, task: Task): string {
  switch (task.status) {
    case 'queued':
      if (waitsForWindow(task)) return messages.windowOpens(formatOpening(task.window_opens_at));
      return outcomeOf(task) === 'retrying' ? messages.retrying : messages.queuedReason;
    case 'running':
      return summarizeProgress(run, task);
    case 'unknown':
      return task.finished_at === null ? messages.lostResponse : (task.error ?? '');
    case 'succeeded':
      return summarizeSuccess(run, task);
    case 'unverified':
      return summarizeUnverified(run, task);
    case 'partial':
      return summarizePartly(run, task);
    case 'cancelled':
      return messages.cancelled;
    default:
      return describeCause(run, task) ?? describeReason(run, task);
  }
}

function summarizeSuccess(run: Run, task: Task): string {
  const summary = summarizeChange(run, task);
  const { pages_compared: pages = 0 } = task.watch ?? {};
  return pages > 0 ? messages.compared(summary, pages) : summary;
}

function summarizeUnverified(run: Run, task: Task): string {
  const summary = summarizeChange(run, task);
  return task.error === null
    ? messages.unverified(summary)
    : messages.withCause(summary, task.error);
}

/** The error of the task, or of its item if exactly one item failed. Null: there are several errors or none. */
export function describeCause(run: Run, task: Task): string | null {
  return task.error ?? findOnlyFailure(run, task)?.error ?? null;
}

function summarizePartly(run: Run, task: Task): string {
  const summary = messages.partly(summarizeItems(run, task), countFailed(task));
  const cause = describeCause(run, task);
  return cause === null ? summary : messages.withCause(summary, cause);
}

/** Whether the window of the task opens later. */
export const waitsForWindow = (task: Task): task is Task & { window_opens_at: string } =>
  task.window_opens_at !== undefined && Date.parse(task.window_opens_at) > Date.now();

/** The error message of a task. If only items failed, the task has no message, so its failed items are counted. */
export function describeReason({ kind }: Pick<Run, 'kind'>, task: Task): string {
  if (task.error !== null) return task.error;
  const failed = countFailed(task);
  if (failed > 0) {
    const updated = countUpdated(task);
    return updated > 0
      ? messages.someFailed(kind, failed, failed + updated)
      : messages.allFailed(kind, failed);
  }
  return task.details?.errors[0]?.error ?? '';
}

/** Names the items or the plugin of the request. Some requests have neither, for example a sync. */
function summarizeProgress(run: Run, { items }: Task): string {
  const what = items ? describeItems(run, items) : pluginName(run);
  return messages.inProgress(actionOf(run), what);
}

export const actionOf = ({ kind, request }: Run): string =>
  kind === 'plugin_action' ? (request.action ?? '') : kind;

const KINDS_WITH_ITEMS: Run['kind'][] = ['update', 'install', 'restore'];

/** True if a successful task changed no version. False for syncs and plugin actions, which count no items. */
export const changedNothing = ({ kind }: Run, task: Task): boolean =>
  (kind === 'self_update' || KINDS_WITH_ITEMS.includes(kind)) && countUpdated(task) === 0;

function summarizeChange(run: Run, task: Task): string {
  if (KINDS_WITH_ITEMS.includes(run.kind)) return summarizeItems(run, task);
  if (changedNothing(run, task)) return messages.nothingPending;
  return messages.done(actionOf(run));
}

function summarizeItems({ kind }: Run, { plugins, themes, core }: Task): string {
  const parts = [
    ...(plugins.updated > 0 ? [messages.plugins(plugins.updated)] : []),
    ...(themes.updated > 0 ? [messages.themes(themes.updated)] : []),
    ...(core.updated > 0 ? [messages.core] : []),
  ];
  if (parts.length > 0) return messages.changed(kind, parts.join(', '));
  return kind === 'update' ? messages.nothingPending : messages.nothingChanged;
}

const countUpdated = ({ plugins, themes, core }: Task) =>
  plugins.updated + themes.updated + core.updated;
const countFailed = ({ plugins, themes, core }: Task) =>
  plugins.failed + themes.failed + core.failed;
