import { ActionIcon, Menu } from '@mantine/core';
import { IconArchive, IconDots, IconPlus } from '@tabler/icons-react';
import { useHasPermission } from '../../../lib/session.ts';
import { archiveMessages } from '../../../messages/archive.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { sitesMessages } from '../../../messages/sites.ts';

type Props = { isDisabled: boolean; onInstall: () => void; onArchive: () => void };

/** Less common actions on the selected sites. As buttons, they would cover the rows on a phone. */
export function MoreActionsMenu({ isDisabled, onInstall, onArchive }: Props) {
  const isOwner = useHasPermission('owner');
  return (
    <Menu position="top-end" offset={14}>
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={36}
          disabled={isDisabled}
          aria-label={sitesMessages.selection.more}
        >
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPlus size={15} aria-hidden />} onClick={onInstall}>
          {packagesMessages.install.menuLabel}
        </Menu.Item>
        {isOwner && (
          <Menu.Item leftSection={<IconArchive size={15} aria-hidden />} onClick={onArchive}>
            {archiveMessages.menuLabel}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
