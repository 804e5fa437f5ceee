import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { countPending, type SiteDetails } from '@steward/contract';
import { IconArrowUp, IconRefresh } from '@tabler/icons-react';
import { UpdateDialog } from '../../../components/update-dialog/update-dialog.tsx';
import { siteMessages } from '../../../messages/site.ts';
import type { SyncMutation } from '../use-sync-site.ts';

/** Buttons to sync and update the site. When they are disabled, the banner explains why. */
export function SiteActions({ site, sync }: { site: SiteDetails; sync: SyncMutation }) {
  const [isUpdateDialogOpen, updateDialog] = useDisclosure();
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
          disabled={!site.remote.possible}
          onClick={updateDialog.open}
        >
          {siteMessages.actions.updateAll(pending)}
        </Button>
      )}
      {isUpdateDialogOpen && <UpdateDialog siteIds={[site.id]} onClose={updateDialog.close} />}
    </>
  );
}
