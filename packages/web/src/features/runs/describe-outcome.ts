import { BAR_ORDER, countOutcomes } from '../../lib/run-outcomes.ts';
import type { Run, Task } from '../../lib/runs-api.ts';
import { outcomeMessages } from '../../messages/outcomes.ts';
import { runsMessages } from '../../messages/runs.ts';
import { watchMessages } from '../../messages/watch.ts';
import { listCauses } from './group-tasks.ts';
import { listItems } from './list-items.ts';
import { actionOf, changedNothing, describeCause } from './summarize-task.ts';

const messages = runsMessages.outcome;

/**
 * "Updated on 37 of 38 sites, 1 rolled back. Reason: Version 8.1 breaks the site." Null while the run is running, and
 * for a single site, whose line shows the same.
 */
export function describeOutcome(run: Run, tasks: Task[]): string | null {
  if (run.status !== 'finished' || run.total < 2) return null;
  const { succeeded = 0, ...others } = countOutcomes(run);
  const unchanged = tasks.filter(
    (task) => task.status === 'succeeded' && changedNothing(run, task),
  ).length;
  const rolledBack = tasks.filter((task) => isRolledBack(run, task)).length;
  const troubled = tasks.filter(({ watch }) => watch?.state === 'troubled').length;
  const counts = { ...others, failed: (others.failed ?? 0) - rolledBack };
  const parts = [
    messages.done(actionOf(run), succeeded - unchanged, run.total),
    ...(unchanged > 0 ? [messages.unchanged(unchanged)] : []),
    ...(rolledBack > 0 ? [messages.rolledBack(rolledBack)] : []),
    ...BAR_ORDER.flatMap((outcome) => {
      const amount = outcome === 'succeeded' ? 0 : (counts[outcome] ?? 0);
      return amount > 0 ? [outcomeMessages.countOf(amount, outcome)] : [];
    }),
    ...(troubled > 0 ? [watchMessages.troubledSites(troubled)] : []),
  ];
  return [`${parts.join(', ')}.`, describeMainReason(run, tasks)].join(' ').trimEnd();
}

/** True if an update of this site failed only because new versions were rolled back. */
function isRolledBack(run: Run, task: Task): boolean {
  if (task.status !== 'failed') return false;
  const failed = listItems(run, task).filter(({ isSuccess }) => !isSuccess);
  return failed.length > 0 && failed.every((item) => item.isRolledBack);
}

function describeMainReason(run: Run, tasks: Task[]): string {
  const [most, ...others] = listCauses(run, tasks);
  const [first, ...more] = most?.tasks ?? [];
  if (!most || !first) return '';
  const isSingle = more.length === 0;
  if (others.length > 0) {
    return isSingle ? messages.manyReasons : messages.mainReason(most.tasks.length, most.reason);
  }
  // The reason of a group omits the name of the site.
  return messages.reason((isSingle && describeCause(run, first)) || most.reason);
}
