import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlayerStop, IconRefresh, IconReload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifyError } from '../../../lib/notify.ts';
import { isRetriable, type OutcomeCounts } from '../../../lib/run-outcomes.ts';
import { cancelRun, type Run, runQuery, startSync, type Task } from '../../../lib/runs-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { runsMessages } from '../../../messages/runs.ts';
import { HoldVersionButton } from '../../rules/index.ts';
import { findRestored } from '../find-restored.ts';
import { useRetryRun } from '../use-retry-run.ts';
import { RetriedNote } from './retried-note.tsx';

const messages = runsMessages.actions;

type Props = { run: Run; counts: OutcomeCounts; tasks: Task[]; shown: Task[] };

/** Users can cancel a running run. After it has finished, they can sync the shown sites or retry the run. */
export function RunActions({ run, counts, tasks, shown }: Props) {
  if (!useHasPermission('sites.act')) return null;
  if (run.status === 'running') {
    return run.cancelled_at === null && !run.only_your_sites ? (
      <CancelButton run={run} counts={counts} />
    ) : null;
  }
  return (
    <>
      {findRestored(run, tasks).map((restored) => (
        <HoldVersionButton key={`${restored.item.type} ${restored.item.slug}`} {...restored} />
      ))}
      <SyncButton tasks={shown} />
      {!run.only_your_sites && (
        <RetryButton run={run} retriable={tasks.filter(isRetriable).length} />
      )}
    </>
  );
}

function CancelButton({ run, counts }: Pick<Props, 'run' | 'counts'>) {
  const client = useQueryClient();
  const [isAsking, dialog] = useDisclosure(false);
  const queued = (counts.queued ?? 0) + (counts.retrying ?? 0);
  const started = (counts.running ?? 0) + (counts.verifying ?? 0);
  const cancel = async () => {
    const cancelled = await cancelRun(run.run_id);
    // Set only `cancelled_at`: the event stream sends the end of the run, after the last task.
    client.setQueryData(
      runQuery(run.run_id).queryKey,
      (known) => known && { ...known, run: { ...known.run, cancelled_at: cancelled.cancelled_at } },
    );
  };
  return (
    <>
      <Button variant="default" leftSection={<IconPlayerStop size={15} />} onClick={dialog.open}>
        {messages.cancel}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={messages.cancelTitle}
          confirmLabel={messages.cancel}
          cancelLabel={messages.keepRunning}
          onConfirm={cancel}
          onClose={dialog.close}
        >
          {queued > 0 && <Text>{messages.queuedNotChanged(queued)}</Text>}
          {started > 0 && <Text>{messages.startedFinish(started)}</Text>}
          <Text>{messages.doneStays}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

function RetryButton({ run, retriable }: { run: Run; retriable: number }) {
  const retry = useRetryRun(run.run_id);
  const [isAsking, dialog] = useDisclosure(false);
  if (run.is_retried)
    return <RetriedNote retryRunId={run.retried_by} byOwner={messages.runRetriedByOwner} />;
  if (retriable === 0) return null;
  const retryNow = () => retry.mutate(undefined, { onError: notifyError });
  return (
    <>
      <Button
        leftSection={<IconReload size={15} />}
        loading={retry.isPending}
        onClick={run.schedule ? dialog.open : retryNow}
      >
        {messages.retry(retriable)}
      </Button>
      {isAsking && run.schedule && (
        <ConfirmDialog
          title={messages.retryTitle}
          confirmLabel={messages.retryNow}
          onConfirm={() => retry.mutateAsync(undefined)}
          onClose={dialog.close}
        >
          <Text>{messages.outsideWindow(retriable, run.schedule.name)}</Text>
          <Text>{messages.nextWindow}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

function SyncButton({ tasks }: { tasks: Task[] }) {
  const goToRun = useGoToRun();
  const ids = tasks.filter(({ site_url }) => site_url !== null).map(({ site_id }) => site_id);
  const sync = useMutation({
    mutationFn: () => startSync(ids),
    onSuccess: goToRun,
    onError: notifyError,
  });
  if (ids.length === 0) return null;
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={15} />}
      loading={sync.isPending}
      onClick={() => sync.mutate()}
    >
      {messages.sync(ids.length)}
    </Button>
  );
}
