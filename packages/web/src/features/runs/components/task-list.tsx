import { Text } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { Run, Task } from '../../../lib/runs-api.ts';
import { runsMessages } from '../../../messages/runs.ts';
import { TaskLine } from './task-line.tsx';
import styles from './task-list.module.css';

const messages = runsMessages.page;
const LINE_HEIGHT = 40;

/** Renders only the visible lines, so that a run with 10,000 sites stays fast. */
export function TaskList({ run, tasks }: { run: Run; tasks: Task[] }) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const list = useRef<HTMLUListElement>(null);
  const [offset, setOffset] = useState(0);
  // Measure after every render: the list moves down when the header above it wraps.
  useLayoutEffect(() => setOffset(list.current?.offsetTop ?? 0));

  const lines = useWindowVirtualizer({
    count: tasks.length,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (index) => tasks[index]?.task_id ?? index,
    overscan: 10,
    scrollMargin: offset,
  });
  const toggle = useCallback((taskId: number) => {
    setOpened((before) => {
      const after = new Set(before);
      if (!after.delete(taskId)) after.add(taskId);
      return after;
    });
  }, []);

  const visible = lines.getVirtualItems();
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
        style={{ height: lines.getTotalSize() }}
        aria-label={messages.sites}
      >
        {visible.map(({ index, key }, position) => {
          const task = tasks[index];
          if (!task) return null;
          return (
            <li
              key={key}
              ref={lines.measureElement}
              data-index={index}
              aria-setsize={tasks.length}
              aria-posinset={index + 1}
              style={position === 0 ? { marginTop: skippedPx } : undefined}
            >
              <TaskLine run={run} task={task} isOpen={opened.has(task.task_id)} onToggle={toggle} />
            </li>
          );
        })}
      </ul>
    </>
  );
}
