import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SiteDetails, SoftwareType } from '@steward/contract';
import { useHasPermission } from '../../../lib/session.ts';
import { siteMessages } from '../../../messages/site.ts';
import { UpdateDialog } from '../../run-dialogs/index.ts';
import { findHeldItem } from './item-notes.tsx';

type Props = {
  site: SiteDetails;
  item: { type: SoftwareType; slug: string };
  /** The name for screen readers. */
  name: string;
  newVersion: string | undefined;
};

/** Updates one theme, or core, after a preview. Shown only while an update is pending. */
export function UpdateItemButton({ site, item, name, newVersion }: Props) {
  const [isDialogOpen, dialog] = useDisclosure();
  const mayAct = useHasPermission('sites.act');
  const isHeld = findHeldItem(site, item) !== undefined;
  if (newVersion === undefined || !mayAct) return null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={siteMessages.inventory.updateItem(name)}
        disabled={!site.remote.possible || isHeld}
        onClick={dialog.open}
      >
        {siteMessages.inventory.update}
      </Button>
      {isDialogOpen && <UpdateDialog siteIds={[site.id]} only={item} onClose={dialog.close} />}
    </>
  );
}
