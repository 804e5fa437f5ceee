import { Button, Group } from '@mantine/core';
import { IconExternalLink, IconRefresh, IconReload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ErrorNote } from '../../../components/error-note.tsx';
import type { NextStep } from '../../../lib/failure-words.ts';
import { useMay } from '../../../lib/session.ts';
import { siteHref } from '../../../lib/site-name.ts';
import { type Run, retryRun, startSync, startUpdate, type Task } from '../api.ts';
import { useGoToRun } from '../use-go-to-run.ts';

type Props = { run: Run; task: Task; next: NextStep[] };

/** What to do about one site, the likeliest first. */
export function TaskSteps({ run, task, next }: Props) {
  const mayAct = useMay('sites.act');
  const goToRun = useGoToRun();
  const retry = useMutation({ mutationFn: () => tryAgain(run, task), onSuccess: goToRun });
  const sync = useMutation({ mutationFn: () => startSync([task.site_id]), onSuccess: goToRun });
  const canRetry = mayAct && (run.kind !== 'plugin_action' || run.status === 'finished');
  const fault = retry.error ?? sync.error;
  const button = (step: NextStep) => {
    switch (step) {
      case 'retry':
        return canRetry ? (
          <Button
            key={step}
            variant="default"
            size="xs"
            loading={retry.isPending}
            leftSection={<IconReload size={14} />}
            onClick={() => retry.mutate()}
          >
            Retry this site
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
            Sync this site
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
            Open the site
          </Button>
        );
      default:
        return null;
    }
  };
  return (
    <>
      {fault && <ErrorNote error={fault} />}
      <Group gap="xs">
        {next.map(button)}
        {task.site_url !== null && (
          <Button
            variant="default"
            size="xs"
            renderRoot={(props) => (
              <Link {...props} to="/sites/$siteId" params={{ siteId: String(task.site_id) }} />
            )}
          >
            Show what it has
          </Button>
        )}
      </Group>
    </>
  );
}

/** The one action of a run is repeated as it was; of many sites, this one alone. */
function tryAgain(run: Run, task: Task) {
  if (run.kind === 'plugin_action') return retryRun(run.run_id);
  return run.kind === 'sync' ? startSync([task.site_id]) : startUpdate([task.site_id]);
}
