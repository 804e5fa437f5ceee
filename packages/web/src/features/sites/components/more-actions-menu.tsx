import { ActionIcon, Menu } from '@mantine/core';
import { IconArchive, IconBuilding, IconDots, IconPlus } from '@tabler/icons-react';
import { Blockable } from '../../../components/blockable.tsx';
import { DangerMenuItem } from '../../../components/danger-menu-item.tsx';
import { useHasPermission } from '../../../lib/session.ts';
import { archiveMessages } from '../../../messages/archive.ts';
import { clientOfSitesMessages } from '../../../messages/client-of-sites.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { sitesMessages } from '../../../messages/sites.ts';

type Props = { blockedBy: string | null } & Record<
  'onInstall' | 'onSetClient' | 'onArchive',
  () => void
>;

/** Less common actions on the selected sites. As buttons, they would cover the rows on a phone. */
export function MoreActionsMenu({ blockedBy, onInstall, onSetClient, onArchive }: Props) {
  const isOwner = useHasPermission('owner');
  const button = (
    <ActionIcon variant="default" size={36} aria-label={sitesMessages.selection.more}>
      <IconDots size={16} aria-hidden />
    </ActionIcon>
  );
  if (blockedBy) return <Blockable reason={blockedBy}>{button}</Blockable>;
  return (
    <Menu position="top-end" offset={14}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPlus size={15} aria-hidden />} onClick={onInstall}>
          {packagesMessages.install.menuLabel}
        </Menu.Item>
        <Menu.Item leftSection={<IconBuilding size={15} aria-hidden />} onClick={onSetClient}>
          {clientOfSitesMessages.menuLabel}
        </Menu.Item>
        {isOwner && (
          <DangerMenuItem leftSection={<IconArchive size={15} aria-hidden />} onClick={onArchive}>
            {archiveMessages.menuLabel}
          </DangerMenuItem>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
