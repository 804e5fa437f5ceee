import { type Outcome, outcomeOf } from '../../lib/run-outcomes.ts';
import type { Run, Task } from '../../lib/runs-api.ts';
import { siteAddress, siteHref } from '../../lib/site-name.ts';
import { runsMessages } from '../../messages/runs.ts';
import { describeCause } from './summarize-task.ts';

/** Unsuccessful sites with the same cause. */
export type TaskGroup = { key: string; outcome: Outcome; reason: string; tasks: Task[] };

const GROUPED_OUTCOMES: readonly Outcome[] = ['failed', 'partial', 'unknown', 'refused'];

/** Combines unsuccessful tasks with the same cause. A group takes the place of its first task; one task is no group. */
export function groupTasks(run: Run, tasks: Task[]): (Task | TaskGroup)[] {
  return groupByCause(run, tasks).flatMap((entry) =>
    'tasks' in entry && entry.tasks.length === 1 ? entry.tasks : [entry],
  );
}

/** The causes of a run, the most frequent first. */
export const listCauses = (run: Run, tasks: Task[]): TaskGroup[] =>
  groupByCause(run, tasks)
    .filter((entry) => 'tasks' in entry)
    .sort((a, b) => b.tasks.length - a.tasks.length);

function groupByCause(run: Run, tasks: Task[]): (Task | TaskGroup)[] {
  const groups = new Map<string, TaskGroup>();
  const entries = tasks.map((task) => {
    const cause = findCause(run, task);
    if (!cause) return task;
    const group = groups.get(cause.key) ?? { ...cause, tasks: [] };
    groups.set(cause.key, group);
    group.tasks.push(task);
    return group;
  });
  return [...new Set(entries)];
}

/** Null for an outcome that is not grouped, and for a task with several errors, for example because several items failed. */
function findCause(run: Run, task: Task): Omit<TaskGroup, 'tasks'> | null {
  const outcome = outcomeOf(task);
  if (!GROUPED_OUTCOMES.includes(outcome)) return null;
  const cause = describeCause(run, task);
  if (cause === null) return null;
  const reason = removeSite(cause, task.site_url);
  return { key: [outcome, task.code, reason].join(' '), outcome, reason };
}

/** Replaces the URL and the host of the site in an error, so that the errors of several sites can be equal. */
function removeSite(error: string, siteUrl: string | null): string {
  const href = siteUrl === null ? '' : siteHref(siteUrl);
  if (siteUrl === null || !URL.canParse(href)) return error;
  const { host, hostname } = new URL(href);
  return (
    [href, siteUrl, siteAddress(siteUrl), host, hostname]
      // A host without a dot, such as `site`, may also be an ordinary word in the error.
      .filter((name) => name.includes('.'))
      .reduce((text, name) => text.replaceAll(name, runsMessages.group.anySite), error)
  );
}
