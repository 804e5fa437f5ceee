import { Text } from '@mantine/core';
import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { OutcomeBar } from '../../components/outcome-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { errorCodeOf } from '../../lib/api.ts';
import {
  countOutcomes,
  countUnfinished,
  outcomeOf,
  percentDone,
  runTitle,
  splitRetrying,
} from '../../lib/run-outcomes.ts';
import type { RunWithTasks } from '../../lib/runs-api.ts';
import { useRun } from '../../lib/use-run.ts';
import { outcomeMessages } from '../../messages/outcomes.ts';
import { runsMessages } from '../../messages/runs.ts';
import { OutcomeFilter } from './components/outcome-filter.tsx';
import { RunActions } from './components/run-actions.tsx';
import { RunFacts } from './components/run-facts.tsx';
import { TaskList } from './components/task-list.tsx';
import { describeOutcome } from './describe-outcome.ts';
import { useTaskOrder } from './use-task-order.ts';

const messages = runsMessages.page;
const BACK = { to: '/runs', label: runsMessages.list.title } as const;

export function RunPage() {
  const { runId } = useParams({ from: '/signed-in/runs/$runId' });
  const id = /^[1-9]\d{0,14}$/.test(runId) ? Number(runId) : 0;
  const { data, error, refetch, isConnectionLost } = useRun(id);
  if (data) return <FoundRun data={data} isConnectionLost={isConnectionLost} />;
  if (
    error &&
    ['run_not_found', 'not_found', 'invalid_request'].includes(errorCodeOf(error) ?? '')
  ) {
    return (
      <NotFound entity={messages.noun} back={BACK}>
        {messages.notFoundReason}
      </NotFound>
    );
  }
  return (
    <>
      <PageHeader title={messages.title} note="" back={BACK} />
      {error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows />}
    </>
  );
}

function FoundRun({ data, isConnectionLost }: { data: RunWithTasks; isConnectionLost: boolean }) {
  const { run, tasks } = data;
  const { status, task } = useSearch({ from: '/signed-in/runs/$runId' });
  const sorted = useTaskOrder(run, tasks, status);
  const counts = useMemo(() => splitRetrying(countOutcomes(run), tasks.values()), [run, tasks]);
  const shown = useMemo(
    () => (status ? sorted.filter((task) => outcomeOf(task) === status) : sorted),
    [sorted, status],
  );
  const outcome = useMemo(() => describeOutcome(run, [...tasks.values()]), [run, tasks]);
  const title = runTitle(run);
  const percent = outcomeMessages.percent(percentDone(run.total, countUnfinished(counts)));
  return (
    <>
      <PageHeader
        title={title}
        tabTitle={run.status === 'running' ? messages.tabTitle(percent, title) : title}
        note={<RunFacts run={run} counts={counts} isConnectionLost={isConnectionLost} />}
        back={BACK}
        action={<RunActions run={run} counts={counts} tasks={sorted} shown={shown} />}
      />
      {outcome !== null && (
        <Text fw={500} mb="sm" style={{ overflowWrap: 'anywhere' }}>
          {outcome}
        </Text>
      )}
      <OutcomeBar counts={counts} total={run.total} />
      <OutcomeFilter counts={counts} total={run.total} selected={status} />
      <TaskList run={run} tasks={shown} openTaskId={task ? Number(task) : undefined} />
    </>
  );
}
