import { OUTCOMES, outcomeOf } from '../../lib/run-outcomes.ts';
import type { Task } from '../../lib/runs-api.ts';

const RANKS = new Map<string, number>(OUTCOMES.map((outcome, rank) => [outcome, rank]));

/** Sorts by urgency, then by the order of the request. A site that fails since its update comes first. */
export function sortTasks(tasks: Iterable<Task>): Task[] {
  const ranked = Array.from(tasks, (task) => ({ task, rank: rankOf(task) }));
  ranked.sort((a, b) => a.rank - b.rank || a.task.task_id - b.task.task_id);
  return ranked.map(({ task }) => task);
}

const rankOf = (task: Task) =>
  task.watch?.state === 'troubled' ? -1 : (RANKS.get(outcomeOf(task)) ?? 0);
