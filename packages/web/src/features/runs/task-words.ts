import { count, formatNumber } from '../../lib/format.ts';
import type { Run, Task } from '../../lib/runs-api.ts';

/** What a task did or why it did not, in one line. */
export function inShort(run: Run, task: Task): string {
  switch (task.status) {
    case 'queued':
      return '';
    case 'running':
      return run.kind === 'sync' ? 'Looking for updates' : 'At work';
    case 'unknown':
      return task.finished_at === null
        ? 'The answer was lost; asking the site'
        : (task.error ?? '');
    case 'succeeded':
      return whatWasDone(run, task);
    case 'unverified':
      return `${whatWasDone(run, task)}; not seen whether the site works`;
    case 'partial':
      return `${done(task)}, ${formatNumber(failedItems(task))} failed`;
    case 'cancelled':
      return 'Not begun when the run was cancelled';
    default:
      return reasonOf(task);
  }
}

/** The panel's own sentence. When only items failed there is none, and they say why. */
export function reasonOf(task: Task): string {
  if (task.error !== null) return task.error;
  const failed = failedItems(task);
  if (failed > 0) {
    const updated = updatedItems(task);
    return updated > 0
      ? `${formatNumber(failed)} of ${count(failed + updated, 'update')} failed.`
      : `${count(failed, 'update')} failed.`;
  }
  return task.details?.errors[0]?.error ?? '';
}

const DONE: Record<string, string> = {
  update: 'Updated',
  activate: 'Activated',
  deactivate: 'Deactivated',
  delete: 'Deleted',
};

function whatWasDone({ kind, request }: Run, task: Task): string {
  if (kind === 'sync') return 'Reported what it has';
  if (kind === 'plugin_action') return DONE[request.action ?? ''] ?? 'Done';
  return done(task);
}

function done({ plugins, themes, core }: Task): string {
  const parts = [
    ...(plugins.updated > 0 ? [count(plugins.updated, 'plugin')] : []),
    ...(themes.updated > 0 ? [count(themes.updated, 'theme')] : []),
    ...(core.updated > 0 ? ['core'] : []),
  ];
  return parts.length > 0 ? `Updated ${parts.join(', ')}` : 'Nothing was pending';
}

const updatedItems = ({ plugins, themes, core }: Task) =>
  plugins.updated + themes.updated + core.updated;
const failedItems = ({ plugins, themes, core }: Task) =>
  plugins.failed + themes.failed + core.failed;
