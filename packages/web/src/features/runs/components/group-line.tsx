import { Button, UnstyledButton } from '@mantine/core';
import { IconChevronRight, IconReload } from '@tabler/icons-react';
import { StatusLabel } from '../../../components/status-label.tsx';
import { notifyError } from '../../../lib/notify.ts';
import { isRetriable, OUTCOME_STYLES } from '../../../lib/run-outcomes.ts';
import type { Run } from '../../../lib/runs-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { outcomeMessages } from '../../../messages/outcomes.ts';
import { runsMessages } from '../../../messages/runs.ts';
import type { TaskGroup } from '../group-tasks.ts';
import { useRetryRun } from '../use-retry-run.ts';
import styles from './group-line.module.css';
import { RetriedNote } from './retried-note.tsx';

type Props = { run: Run; group: TaskGroup; isOpen: boolean; onToggle: (key: string) => void };

/** The line of several unsuccessful sites with the same cause. A click shows the sites. */
export function GroupLine({ run, group, isOpen, onToggle }: Props) {
  const { key, outcome, reason, tasks } = group;
  return (
    <div className={styles.line}>
      <UnstyledButton
        className={styles.toggle}
        aria-expanded={isOpen}
        onClick={() => onToggle(key)}
      >
        <IconChevronRight size={14} aria-hidden className={styles.chevron} />
        <span className={styles.state} title={outcomeMessages.explanations[outcome]}>
          <StatusLabel kind={OUTCOME_STYLES[outcome].kind}>
            {outcomeMessages.states[outcome]}
          </StatusLabel>
        </span>
        <span className={styles.reason}>{runsMessages.group.title(tasks.length, reason)}</span>
      </UnstyledButton>
      <GroupRetry run={run} group={group} />
    </div>
  );
}

function GroupRetry({ run, group: { tasks } }: Pick<Props, 'run' | 'group'>) {
  const mayAct = useHasPermission('sites.act');
  const retry = useRetryRun(run.run_id);
  const siteIds = tasks.filter(isRetriable).map(({ site_id }) => site_id);
  const retried = tasks.find(({ is_retried }) => is_retried);
  if (!mayAct || run.only_your_sites) return null;
  if (siteIds.length === 0) {
    return retried ? <RetriedNote retryRunId={retried.retried_by} /> : null;
  }
  return (
    <Button
      variant="default"
      size="xs"
      loading={retry.isPending}
      leftSection={<IconReload size={14} />}
      onClick={() => retry.mutate(siteIds, { onError: notifyError })}
    >
      {runsMessages.actions.retryThese(siteIds.length)}
    </Button>
  );
}
