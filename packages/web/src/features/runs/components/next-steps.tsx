import { Button, Group } from '@mantine/core';
import type { NextStep } from '@steward/contract';
import { IconExternalLink, IconRefresh, IconReload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ErrorNote } from '../../../components/error-note.tsx';
import { isRetriable } from '../../../lib/run-outcomes.ts';
import { type Run, startSync, startUpdate, type Task } from '../../../lib/runs-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { siteHref } from '../../../lib/site-name.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { failureMessages } from '../../../messages/failures.ts';
import { useRetryRun } from '../use-retry-run.ts';
import { RetriedNote } from './retried-note.tsx';

type Props = { run: Run; task: Task; next: readonly NextStep[] };

/** Buttons for the next steps of one site, the most useful step first. */
export function NextSteps({ run, task, next }: Props) {
  const mayAct = useHasPermission('sites.act');
  const goToRun = useGoToRun();
  const retryOfRun = useRetryRun(run.run_id);
  // A site of a finished run can be retried once. In all other cases, an update or a sync starts as a new run.
  const canStartAgain = run.kind === 'update' || run.kind === 'sync';
  const newRun = useMutation({ mutationFn: () => startAgain(run, task), onSuccess: goToRun });
  const canRetryRun = run.status === 'finished' && !run.only_your_sites && isRetriable(task);
  const retry = canRetryRun ? retryOfRun : newRun;
  const sync = useMutation({ mutationFn: () => startSync([task.site_id]), onSuccess: goToRun });
  const canRetry = mayAct && (canRetryRun || canStartAgain);
  const error = retry.error ?? sync.error;
  const renderStep = (step: NextStep) => {
    switch (step) {
      case 'retry':
        if (!canStartAgain && task.is_retried) {
          return <RetriedNote key={step} retryRunId={task.retried_by} />;
        }
        return canRetry ? (
          <Button
            key={step}
            variant="default"
            size="xs"
            loading={retry.isPending}
            leftSection={<IconReload size={14} />}
            onClick={() => (canRetryRun ? retryOfRun.mutate([task.site_id]) : newRun.mutate())}
          >
            {failureMessages.retrySite}
          </Button>
        ) : null;
      case 'sync':
        return mayAct ? (
          <Button
            key={step}
            variant="default"
            size="xs"
            loading={sync.isPending}
            leftSection={<IconRefresh size={14} />}
            onClick={() => sync.mutate()}
          >
            {failureMessages.syncSite}
          </Button>
        ) : null;
      case 'open_site':
        return task.site_url === null ? null : (
          <Button
            key={step}
            variant="default"
            size="xs"
            component="a"
            href={siteHref(task.site_url)}
            target="_blank"
            rel="noreferrer"
            leftSection={<IconExternalLink size={14} />}
          >
            {failureMessages.openWebsite}
          </Button>
        );
      default:
        return null;
    }
  };
  return (
    <>
      {error && <ErrorNote error={error} />}
      <Group gap="xs">
        {next.map(renderStep)}
        {task.site_url !== null && (
          <Button
            variant="default"
            size="xs"
            renderRoot={(props) => (
              <Link {...props} to="/sites/$siteId" params={{ siteId: String(task.site_id) }} />
            )}
          >
            {failureMessages.siteDetails}
          </Button>
        )}
      </Group>
    </>
  );
}

function startAgain({ kind }: Run, { site_id, items }: Task) {
  return kind === 'sync' ? startSync([site_id]) : startUpdate([site_id], items ?? undefined);
}
