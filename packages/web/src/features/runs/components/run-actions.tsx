import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlayerStop, IconRefresh, IconReload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { count } from '../../../lib/format.ts';
import { sayFault } from '../../../lib/notify.ts';
import { isRetriable, type OutcomeCounts } from '../../../lib/run-outcomes.ts';
import { cancelRun, type Run, runQuery, startSync, type Task } from '../../../lib/runs-api.ts';
import { useMay } from '../../../lib/session.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { useRetryRun } from '../use-retry-run.ts';
import { RetriedNote } from './retried-note.tsx';

type Props = { run: Run; counts: OutcomeCounts; tasks: Task[]; shown: Task[] };

/** Cancel while it goes on; afterwards sync what is shown, and retry what failed. */
export function RunActions({ run, counts, tasks, shown }: Props) {
  if (!useMay('sites.act')) return null;
  if (run.status === 'running') {
    return run.cancelled_at === null ? <CancelButton run={run} counts={counts} /> : null;
  }
  return (
    <>
      <SyncButton tasks={shown} />
      <RetryButton run={run} amount={tasks.filter(isRetriable).length} />
    </>
  );
}

function CancelButton({ run, counts }: Pick<Props, 'run' | 'counts'>) {
  const client = useQueryClient();
  const [isAsking, dialog] = useDisclosure(false);
  const waiting = counts.queued ?? 0;
  const begun = (counts.running ?? 0) + (counts.finding_out ?? 0);
  const cancel = async () => {
    const cancelled = await cancelRun(run.run_id);
    // Whether it has ended, its events say, after those of its sites.
    client.setQueryData(
      runQuery(run.run_id).queryKey,
      (known) => known && { ...known, run: { ...known.run, cancelled_at: cancelled.cancelled_at } },
    );
  };
  return (
    <>
      <Button variant="default" leftSection={<IconPlayerStop size={15} />} onClick={dialog.open}>
        Cancel run
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Cancel this run?"
          confirmLabel="Cancel run"
          cancelLabel="Keep running"
          onConfirm={cancel}
          onClose={dialog.close}
        >
          <Text>
            {count(waiting, 'site')} that {waiting === 1 ? 'has' : 'have'} not begun will be left as
            they are.
          </Text>
          {begun > 0 && (
            <Text>
              Up to {count(begun, 'site')} already at work will be finished: an update that is
              stopped half-way can break a site.
            </Text>
          )}
          <Text>What was done stays done.</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

function RetryButton({ run, amount }: { run: Run; amount: number }) {
  const retry = useRetryRun(run.run_id);
  if (run.is_retried) return <RetriedNote run={run} />;
  if (amount === 0) return null;
  return (
    <Button
      leftSection={<IconReload size={15} />}
      loading={retry.isPending}
      onClick={() => retry.mutate(undefined, { onError: sayFault })}
    >
      Retry {count(amount, 'site')}
    </Button>
  );
}

function SyncButton({ tasks }: { tasks: Task[] }) {
  const goToRun = useGoToRun();
  const ids = tasks.filter(({ site_url }) => site_url !== null).map(({ site_id }) => site_id);
  const sync = useMutation({
    mutationFn: () => startSync(ids),
    onSuccess: goToRun,
    onError: sayFault,
  });
  if (ids.length === 0) return null;
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={15} />}
      loading={sync.isPending}
      onClick={() => sync.mutate()}
    >
      Sync {ids.length === 1 ? 'this site' : `these ${count(ids.length, 'site')}`}
    </Button>
  );
}
