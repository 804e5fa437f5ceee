import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { memo } from 'react';
import { NameText } from '../../../components/name-text.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { WatchLabel } from '../../../components/watch-label.tsx';
import { formatDuration } from '../../../lib/format.ts';
import { OUTCOME_STYLES, outcomeOf } from '../../../lib/run-outcomes.ts';
import type { Run, Task } from '../../../lib/runs-api.ts';
import { siteName } from '../../../lib/site-name.ts';
import { outcomeMessages } from '../../../messages/outcomes.ts';
import { summarizeTask } from '../summarize-task.ts';
import { TaskDetails } from './task-details.tsx';
import styles from './task-line.module.css';

type Props = { run: Run; task: Task; isOpen: boolean; onToggle: (taskId: number) => void };

/** The line of one site. A click shows the reason and the next steps. */
export const TaskLine = memo(function TaskLine({ run, task, isOpen, onToggle }: Props) {
  const outcome = outcomeOf(task);
  return (
    <>
      <UnstyledButton
        className={styles.line}
        aria-expanded={isOpen}
        onClick={() => onToggle(task.task_id)}
      >
        <IconChevronRight size={14} aria-hidden className={styles.chevron} />
        <span className={styles.state} title={outcomeMessages.explanations[outcome]}>
          <StatusLabel kind={OUTCOME_STYLES[outcome].kind}>
            {outcomeMessages.states[outcome]}
          </StatusLabel>
        </span>
        <span className={styles.name}>
          <NameText>{siteName(task)}</NameText>
        </span>
        <span className={styles.summary}>
          <WatchMark task={task} />
          <span className="truncate">{summarizeTask(run, task)}</span>
        </span>
        <span className={`${styles.time} tabular`}>{formatTimeTaken(task)}</span>
      </UnstyledButton>
      {isOpen && <TaskDetails run={run} task={task} />}
    </>
  );
});

/** Shows only a watch that found an error: the line stays short otherwise. */
function WatchMark({ task: { watch } }: { task: Task }) {
  if (!watch?.error) return null;
  const state = watch.state === 'troubled' ? 'troubled' : 'reported';
  return (
    <span className={styles.mark}>
      <WatchLabel state={state} />
    </span>
  );
}

function formatTimeTaken({ started_at, finished_at }: Task): string {
  if (started_at === null || finished_at === null) return '';
  return formatDuration(Date.parse(finished_at) - Date.parse(started_at));
}
