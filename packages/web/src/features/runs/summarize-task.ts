import { describeItems, pluginName } from '../../lib/run-items.ts';
import type { Run, Task } from '../../lib/runs-api.ts';
import { runsMessages } from '../../messages/runs.ts';

const messages = runsMessages.task;

/** Describes the result of a task, or the reason for its failure, in one line. */
export function summarizeTask(run: Run, task: Task): string {
  switch (task.status) {
    case 'queued':
      return '';
    case 'running':
      return summarizeProgress(run, task);
    case 'unknown':
      return task.finished_at === null ? messages.lostResponse : (task.error ?? '');
    case 'succeeded':
      return summarizeChange(run, task);
    case 'unverified':
      return messages.unverified(summarizeChange(run, task));
    case 'partial':
      return messages.partly(summarizeItems(task), countFailed(task));
    case 'cancelled':
      return messages.cancelled;
    default:
      return describeReason(task);
  }
}

/** The error message of a task. If only items failed, the task has no message, so its failed items are counted. */
export function describeReason(task: Task): string {
  if (task.error !== null) return task.error;
  const failed = countFailed(task);
  if (failed > 0) {
    const updated = countUpdated(task);
    return updated > 0 ? messages.someFailed(failed, failed + updated) : messages.allFailed(failed);
  }
  return task.details?.errors[0]?.error ?? '';
}

/** Names the items or the plugin, if the task is not an update of everything. */
function summarizeProgress(run: Run, { items }: Task): string {
  const what = items ? describeItems(run, items) : pluginName(run);
  return messages.inProgress(actionOf(run), what);
}

const actionOf = ({ kind, request }: Run): string =>
  kind === 'plugin_action' ? (request.action ?? '') : kind;

function summarizeChange(run: Run, task: Task): string {
  return run.kind === 'update' ? summarizeItems(task) : messages.done(actionOf(run));
}

function summarizeItems({ plugins, themes, core }: Task): string {
  const parts = [
    ...(plugins.updated > 0 ? [messages.plugins(plugins.updated)] : []),
    ...(themes.updated > 0 ? [messages.themes(themes.updated)] : []),
    ...(core.updated > 0 ? [messages.core] : []),
  ];
  return parts.length > 0 ? messages.updated(parts.join(', ')) : messages.nothingPending;
}

const countUpdated = ({ plugins, themes, core }: Task) =>
  plugins.updated + themes.updated + core.updated;
const countFailed = ({ plugins, themes, core }: Task) =>
  plugins.failed + themes.failed + core.failed;
