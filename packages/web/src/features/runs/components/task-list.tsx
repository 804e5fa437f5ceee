import { Text } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Run, Task } from '../../../lib/runs-api.ts';
import { runsMessages } from '../../../messages/runs.ts';
import { groupTasks, type TaskGroup } from '../group-tasks.ts';
import { GroupLine } from './group-line.tsx';
import { TaskLine } from './task-line.tsx';
import styles from './task-list.module.css';

const messages = runsMessages.page;
const LINE_HEIGHT = 40;

type Line = TaskGroup | { task: Task; isInGroup: boolean };

/** Adds the tasks of open groups below their group. A running run has no groups: a new group would move the lines. */
function listLines(run: Run, tasks: Task[], opened: ReadonlySet<Key>): Line[] {
  const entries = run.status === 'finished' ? groupTasks(run, tasks) : tasks;
  return entries.flatMap((entry): Line[] => {
    if (!('tasks' in entry)) return [{ task: entry, isInGroup: false }];
    if (!opened.has(entry.key)) return [entry];
    return [entry, ...entry.tasks.map((task) => ({ task, isInGroup: true }))];
  });
}

/** The id of a task or the key of a group. */
type Key = number | string;
const keyOf = (line: Line): Key => ('task' in line ? line.task.task_id : line.key);

/** The keys of the task and of the group that contains it. */
function keysToOpen(run: Run, tasks: Task[], taskId: number | undefined): Set<Key> {
  if (taskId === undefined) return new Set();
  const groups = run.status === 'finished' ? groupTasks(run, tasks) : [];
  const group = groups.find(
    (entry) => 'tasks' in entry && entry.tasks.some(({ task_id }) => task_id === taskId),
  );
  return new Set(group && 'tasks' in group ? [taskId, group.key] : [taskId]);
}

type Props = {
  run: Run;
  tasks: Task[];
  /** Opened and scrolled to on the first render. */
  openTaskId?: number | undefined;
};

/** Renders only the visible lines, so that a run with 10,000 sites stays fast. */
export function TaskList({ run, tasks, openTaskId }: Props) {
  const [opened, setOpened] = useState<ReadonlySet<Key>>(() => keysToOpen(run, tasks, openTaskId));
  const lines = useMemo(() => listLines(run, tasks, opened), [run, tasks, opened]);
  const list = useRef<HTMLUListElement>(null);
  const [offset, setOffset] = useState(0);
  // Measure after every render: the list moves down when the header above it wraps.
  useLayoutEffect(() => setOffset(list.current?.offsetTop ?? 0));

  const virtualizer = useWindowVirtualizer({
    count: lines.length,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (index) => {
      const line = lines[index];
      return line ? keyOf(line) : index;
    },
    overscan: 10,
    scrollMargin: offset,
  });
  const scrollToOpened = useEffectEvent(() => {
    const index = lines.findIndex((line) => keyOf(line) === openTaskId);
    if (index > 0) virtualizer.scrollToIndex(index, { align: 'center' });
  });
  useEffect(() => scrollToOpened(), []);
  const toggle = useCallback((key: Key) => {
    setOpened((before) => {
      const after = new Set(before);
      if (!after.delete(key)) after.add(key);
      return after;
    });
  }, []);

  const visible = virtualizer.getVirtualItems();
  const skippedPx = (visible[0]?.start ?? offset) - offset;
  return (
    <>
      {tasks.length === 0 && (
        <Text c="dimmed" py="lg">
          {run.total === 0 ? messages.noSites : messages.noSiteWithOutcome}
        </Text>
      )}
      <ul
        ref={list}
        className={styles.list}
        style={{ height: virtualizer.getTotalSize() }}
        aria-label={messages.sites}
      >
        {visible.map(({ index, key }, position) => {
          const line = lines[index];
          if (!line) return null;
          const isOpen = opened.has(keyOf(line));
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              className={'task' in line && line.isInGroup ? styles.inGroup : undefined}
              data-index={index}
              aria-setsize={lines.length}
              aria-posinset={index + 1}
              style={position === 0 ? { marginTop: skippedPx } : undefined}
            >
              {'task' in line ? (
                <TaskLine run={run} task={line.task} isOpen={isOpen} onToggle={toggle} />
              ) : (
                <GroupLine run={run} group={line} isOpen={isOpen} onToggle={toggle} />
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
