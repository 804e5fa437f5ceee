import { type Outcome, outcomeOf } from '../../lib/run-outcomes.ts';
import type { Task } from '../../lib/runs-api.ts';
import { siteHref, siteName } from '../../lib/site-name.ts';
import { runsMessages } from '../../messages/runs.ts';

/** Unsuccessful sites with the same cause. */
export type TaskGroup = { key: string; outcome: Outcome; reason: string; tasks: Task[] };

const GROUPED_OUTCOMES: readonly Outcome[] = ['failed', 'partial', 'unknown', 'refused'];

/** Combines unsuccessful tasks with the same cause. A group takes the place of its first task. One task is no group. */
export function groupTasks(tasks: Task[]): (Task | TaskGroup)[] {
  const groups = new Map<string, TaskGroup>();
  const entries = tasks.map((task) => {
    const cause = findCause(task);
    if (!cause) return task;
    const group = groups.get(cause.key) ?? { ...cause, tasks: [] };
    groups.set(cause.key, group);
    group.tasks.push(task);
    return group;
  });
  return [...new Set(entries)].flatMap((entry) =>
    'tasks' in entry && entry.tasks.length === 1 ? entry.tasks : [entry],
  );
}

/** Null if the task itself has no error, for example if only items failed: failed items differ from site to site. */
function findCause(task: Task): Omit<TaskGroup, 'tasks'> | null {
  const outcome = outcomeOf(task);
  if (task.error === null || !GROUPED_OUTCOMES.includes(outcome)) return null;
  const reason = removeSite(task.error, task.site_url);
  return { key: [outcome, task.code, reason].join(' '), outcome, reason };
}

/** Replaces the URL and the host of the site in an error, so that the errors of several sites can be equal. */
function removeSite(error: string, siteUrl: string | null): string {
  const href = siteUrl === null ? '' : siteHref(siteUrl);
  if (siteUrl === null || !URL.canParse(href)) return error;
  const { host, hostname } = new URL(href);
  return (
    [href, siteUrl, siteName(siteUrl), host, hostname]
      // A host such as `site` is also a word of the error.
      .filter((name) => name.includes('.'))
      .reduce((text, name) => text.replaceAll(name, runsMessages.group.anySite), error)
  );
}
