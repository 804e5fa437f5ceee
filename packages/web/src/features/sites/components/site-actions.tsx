import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { countPending, type SiteDetails } from '@steward/contract';
import { IconArrowUp, IconPlus, IconRefresh } from '@tabler/icons-react';
import { packagesMessages } from '../../../messages/packages.ts';
import { siteMessages } from '../../../messages/site.ts';
import { InstallDialog, UpdateDialog } from '../../run-dialogs/index.ts';
import type { SyncMutation } from '../use-sync-site.ts';

/** Buttons to sync the site, to install on it and to update it. When they are disabled, the banner explains why. */
export function SiteActions({ site, sync }: { site: SiteDetails; sync: SyncMutation }) {
  const [isUpdateDialogOpen, updateDialog] = useDisclosure();
  const [isInstallDialogOpen, installDialog] = useDisclosure();
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
      <Button
        variant="default"
        leftSection={<IconPlus size={15} />}
        disabled={!site.remote.possible}
        onClick={installDialog.open}
      >
        {packagesMessages.install.menuLabel}
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
      {isInstallDialogOpen && <InstallDialog siteIds={[site.id]} onClose={installDialog.close} />}
      {isUpdateDialogOpen && <UpdateDialog siteIds={[site.id]} onClose={updateDialog.close} />}
    </>
  );
}
