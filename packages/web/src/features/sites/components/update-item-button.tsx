import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SiteDetails, UpdateItem } from '@steward/contract';
import { UpdateDialog } from '../../../components/update-dialog/update-dialog.tsx';
import { useHasPermission } from '../../../lib/session.ts';
import { siteMessages } from '../../../messages/site.ts';

type Props = {
  site: SiteDetails;
  item: Pick<UpdateItem, 'type' | 'slug'>;
  /** The name for screen readers. */
  name: string;
  newVersion: string | undefined;
};

/** Updates one theme, or core, after a preview. Shown only while an update is pending. */
export function UpdateItemButton({ site, item, name, newVersion }: Props) {
  const [isDialogOpen, dialog] = useDisclosure();
  const mayAct = useHasPermission('sites.act');
  if (newVersion === undefined || !mayAct) return null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={siteMessages.inventory.updateItem(name)}
        disabled={!site.remote.possible}
        onClick={dialog.open}
      >
        {siteMessages.inventory.update}
      </Button>
      {isDialogOpen && <UpdateDialog siteIds={[site.id]} only={item} onClose={dialog.close} />}
    </>
  );
}
