import { useMemo } from 'react';
import type { Run, Task } from '../../lib/runs-api.ts';
import { sortTasks } from './sort-tasks.ts';

/**
 * Sorts the tasks by urgency. While the run is running, the order of the first render stays, so that no line moves
 * away from the pointer. The tasks are sorted again when the filter changes and when the run ends.
 */
export function useTaskOrder(
  { run_id, status }: Run,
  tasks: ReadonlyMap<number, Task>,
  filter: string | undefined,
): Task[] {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed task must not change the order.
  const positions = useMemo(
    () => new Map(sortTasks(tasks.values()).map(({ task_id }, index) => [task_id, index])),
    [run_id, status, filter],
  );
  return useMemo(() => {
    const positionOf = ({ task_id }: Task) => positions.get(task_id) ?? positions.size;
    // Tasks that arrived later follow at the end, in the order of the request.
    return [...tasks.values()].sort(
      (a, b) => positionOf(a) - positionOf(b) || a.task_id - b.task_id,
    );
  }, [tasks, positions]);
}
