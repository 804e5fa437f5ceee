import { Button } from '@mantine/core';
import type { SiteStatus } from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../../../lib/notify.ts';
import { notifyIfIncomplete } from '../../../lib/notify-if-incomplete.ts';
import { startSync } from '../../../lib/runs-api.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import { fetchSiteIds } from '../api.ts';

const messages = overviewMessages.attention;

/** Syncs the sites with this status and opens the run. */
export function SyncSitesButton({ status, sites }: { status: SiteStatus; sites: number }) {
  const goToRun = useGoToRun();
  const sync = useMutation({
    mutationFn: async () => {
      const selection = await fetchSiteIds({ status });
      notifyIfIncomplete(selection);
      return startSync(selection.site_ids);
    },
    onSuccess: goToRun,
    onError: notifyError,
  });
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={sync.isPending}
      onClick={() => sync.mutate()}
    >
      {messages.sync(sites)}
    </Button>
  );
}
