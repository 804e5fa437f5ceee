import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { countPending, isWordPress, type SiteDetails } from '@steward/contract';
import { IconLogin2, IconPlus, IconRefresh } from '@tabler/icons-react';
import { Blockable } from '../../../components/blockable.tsx';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import { packagesMessages } from '../../../messages/packages.ts';
import { siteMessages } from '../../../messages/site.ts';
import { wordPressLoginMessages } from '../../../messages/wordpress-login.ts';
import { InstallDialog, UpdateButton, UpdateDialog } from '../../run-dialogs/index.ts';
import { findSiteBlock } from '../find-site-block.ts';
import { updateOfSite } from '../update-of-site.ts';
import type { SyncMutation } from '../use-sync-site.ts';

const WordPressLoginDialog = lazyComponent(
  () => import('./wordpress-login-dialog.tsx'),
  'WordPressLoginDialog',
);

/** Buttons to log in to the site, to sync it, to install on it and to update it. When they are disabled, the banner explains why. */
export function SiteActions({ site, sync }: { site: SiteDetails; sync: SyncMutation }) {
  const [isUpdateDialogOpen, updateDialog] = useDisclosure();
  const [isInstallDialogOpen, installDialog] = useDisclosure();
  const [isLoginOpen, loginDialog] = useDisclosure();
  const blocked = findSiteBlock(site);
  const pending = countPending(site.inventory);
  return (
    <>
      {isWordPress(site) && (
        <Blockable reason={blocked}>
          <Button
            variant="default"
            leftSection={<IconLogin2 size={15} />}
            onClick={loginDialog.open}
          >
            {wordPressLoginMessages.open}
          </Button>
        </Blockable>
      )}
      <Blockable reason={blocked}>
        <Button
          variant="default"
          leftSection={<IconRefresh size={15} />}
          loading={sync.isPending}
          onClick={() => sync.mutate()}
        >
          {siteMessages.actions.sync}
        </Button>
      </Blockable>
      <Blockable reason={blocked}>
        <Button variant="default" leftSection={<IconPlus size={15} />} onClick={installDialog.open}>
          {packagesMessages.install.menuLabel}
        </Button>
      </Blockable>
      {pending > 0 && (
        <UpdateButton
          {...updateOfSite(site)}
          label={({ updates }) => siteMessages.actions.updateAll(updates)}
          blockedBy={blocked}
          onOpen={updateDialog.open}
        />
      )}
      {isLoginOpen && <WordPressLoginDialog site={site} onClose={loginDialog.close} />}
      {isInstallDialogOpen && <InstallDialog siteIds={[site.id]} onClose={installDialog.close} />}
      {isUpdateDialogOpen && <UpdateDialog siteIds={[site.id]} onClose={updateDialog.close} />}
    </>
  );
}
