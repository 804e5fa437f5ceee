import { Button } from '@mantine/core';
import { countPending, type SiteDetails } from '@steward/contract';
import { IconArrowUp, IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../../../lib/notify.ts';
import { startUpdate } from '../../../lib/runs-api.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { siteMessages } from '../../../messages/site.ts';
import type { SyncMutation } from '../use-sync-site.ts';

/** Buttons to sync and update the site. When they are disabled, the banner explains why. */
export function SiteActions({ site, sync }: { site: SiteDetails; sync: SyncMutation }) {
  const goToRun = useGoToRun();
  const update = useMutation({
    mutationFn: () => startUpdate([site.id]),
    onSuccess: goToRun,
    onError: notifyError,
  });
  const pending = countPending(site.inventory);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconRefresh size={15} />}
        loading={sync.isPending}
        disabled={!site.remote.possible}
        onClick={() => sync.mutate()}
      >
        {siteMessages.actions.sync}
      </Button>
      {pending > 0 && (
        <Button
          leftSection={<IconArrowUp size={15} />}
          loading={update.isPending}
          disabled={!site.remote.possible}
          onClick={() => update.mutate()}
        >
          {siteMessages.actions.updateAll(pending)}
        </Button>
      )}
    </>
  );
}
