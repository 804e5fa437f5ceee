import { Button, Group } from '@mantine/core';
import type { NextStep } from '@steward/contract';
import { IconExternalLink, IconRefresh, IconReload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ErrorNote } from '../../../components/error-note.tsx';
import { type Run, startSync, startUpdate, type Task } from '../../../lib/runs-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { siteHref } from '../../../lib/site-name.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { failureMessages } from '../../../messages/failures.ts';
import { useRetryRun } from '../use-retry-run.ts';
import { RetriedNote } from './retried-note.tsx';

type Props = { run: Run; task: Task; next: readonly NextStep[] };

/** Buttons for the next steps of one site, the most useful step first. */
export function TaskSteps({ run, task, next }: Props) {
  const mayAct = useHasPermission('sites.act');
  const goToRun = useGoToRun();
  // Retry a plugin action as a whole run, but an update or sync only on this site.
  const isPluginAction = run.kind === 'plugin_action';
  const retryWholeRun = useRetryRun(run.run_id);
  const retrySite = useMutation({ mutationFn: () => retryTask(run, task), onSuccess: goToRun });
  const retry = isPluginAction ? retryWholeRun : retrySite;
  const sync = useMutation({ mutationFn: () => startSync([task.site_id]), onSuccess: goToRun });
  const canRetry = mayAct && (!isPluginAction || run.status === 'finished');
  const error = retry.error ?? sync.error;
  const renderStep = (step: NextStep) => {
    switch (step) {
      case 'retry':
        if (isPluginAction && run.is_retried) return <RetriedNote key={step} run={run} />;
        return canRetry ? (
          <Button
            key={step}
            variant="default"
            size="xs"
            loading={retry.isPending}
            leftSection={<IconReload size={14} />}
            onClick={() => retry.mutate()}
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

function retryTask(run: Run, task: Task) {
  return run.kind === 'sync' ? startSync([task.site_id]) : startUpdate([task.site_id]);
}
