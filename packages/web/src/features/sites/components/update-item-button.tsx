import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SiteDetails, SoftwareType } from '@steward/contract';
import { Blockable } from '../../../components/blockable.tsx';
import { useHasPermission } from '../../../lib/session.ts';
import { siteMessages } from '../../../messages/site.ts';
import { UpdateDialog } from '../../run-dialogs/index.ts';
import { findUpdateBlock } from '../find-site-block.ts';
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
  const held = findHeldItem(site, item);
  if (newVersion === undefined || !mayAct) return null;
  return (
    <>
      <Blockable
        reason={
          findUpdateBlock(site) ??
          held?.hold.explanation ??
          (site.remote.can_choose_updates ? null : siteMessages.inventory.cannotChoose)
        }
      >
        <Button
          size="xs"
          variant="default"
          aria-label={siteMessages.inventory.updateItem(name)}
          onClick={dialog.open}
        >
          {siteMessages.inventory.update}
        </Button>
      </Blockable>
      {isDialogOpen && <UpdateDialog siteIds={[site.id]} only={item} onClose={dialog.close} />}
    </>
  );
}
