import { ActionIcon, Button, Group, Loader, Menu, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type Inventory, isManagementPlugin, type SiteDetails } from '@steward/contract';
import { IconDots, IconHistory, IconLock, IconTrash } from '@tabler/icons-react';
import { Blockable } from '../../../components/blockable.tsx';
import { DangerMenuItem } from '../../../components/danger-menu-item.tsx';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { Version } from '../../../components/version.tsx';
import { useHasPermission } from '../../../lib/session.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { holdMessages } from '../../../messages/holds.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { siteMessages } from '../../../messages/site.ts';
import { HoldVersionDialog } from '../../rules/index.ts';
import { RestoreDialog } from '../../run-dialogs/index.ts';
import { findSiteBlock, findUpdateBlock } from '../find-site-block.ts';
import type { PluginAction } from '../site-api.ts';
import { type PluginActionMutation, usePluginAction } from '../use-plugin-action.ts';
import { ActionError } from './action-error.tsx';
import { DeletePluginDialog } from './delete-plugin-dialog.tsx';
import styles from './inventory-tables.module.css';
import { findHeldItem, ItemNotes } from './item-notes.tsx';
import { SelfUpdateButton } from './self-update-button.tsx';

const messages = siteMessages.plugin;

export type Plugin = Inventory['plugins'][number];
type Props = { site: SiteDetails; item: Plugin };

/** A plugin with its actions. The error of a failed action appears below the row. */
export function PluginRow({ site, item }: Props) {
  const mayAct = useHasPermission('sites.act');
  const action = usePluginAction(site, item);
  const [isDeleteDialogOpen, dialog] = useDisclosure(false);
  const [isRestoreDialogOpen, restoreDialog] = useDisclosure(false);
  const [isHoldDialogOpen, holdDialog] = useDisclosure(false);
  const error = isDeleteDialogOpen ? null : action.error;
  return (
    <Table.Tbody aria-busy={action.isPending}>
      <Table.Tr className={error ? styles.noted : undefined}>
        <Table.Td>
          <SoftwareLink type="plugin" slug={item.plugin}>
            {item.name}
          </SoftwareLink>{' '}
          {item.name !== item.plugin && (
            <span className={`${styles.file} mono`}>{item.plugin}</span>
          )}
          <ItemNotes
            site={site}
            item={{ type: 'plugin', slug: item.plugin }}
            autoUpdate={item.auto_update}
          />
        </Table.Td>
        <Table.Td className={styles.state}>
          <StatusLabel kind={item.active ? 'good' : 'off'}>
            {item.active ? siteMessages.inventory.active : siteMessages.inventory.inactive}
          </StatusLabel>
        </Table.Td>
        <Table.Td className={styles.version}>
          <Version from={item.version} to={item.new_version} />
        </Table.Td>
        <Table.Td className={styles.actions}>
          {mayAct && (
            <RowActions
              site={site}
              item={item}
              action={action}
              onDelete={dialog.open}
              onRestore={restoreDialog.open}
              onHold={holdDialog.open}
            />
          )}
        </Table.Td>
      </Table.Tr>
      {error && (
        <Table.Tr className={styles.note}>
          <Table.Td colSpan={4}>
            <ActionError error={error} onDismiss={action.reset} />
          </Table.Td>
        </Table.Tr>
      )}
      {isDeleteDialogOpen && (
        <DeletePluginDialog item={item} action={action} onClose={dialog.close} />
      )}
      {isRestoreDialogOpen && (
        <RestoreDialog
          siteIds={[site.id]}
          item={{ type: 'plugin', slug: item.plugin }}
          name={item.name}
          onClose={restoreDialog.close}
        />
      )}
      {isHoldDialogOpen && (
        <HoldVersionDialog
          item={{ type: 'plugin', slug: item.plugin, name: item.name }}
          version={item.version}
          site={site}
          onClose={holdDialog.close}
        />
      )}
    </Table.Tbody>
  );
}

type RowActionsProps = Props & {
  action: PluginActionMutation;
  onDelete: () => void;
  onRestore: () => void;
  onHold: () => void;
};

function RowActions({ site, item, action, onDelete, onRestore, onHold }: RowActionsProps) {
  const isOwner = useHasPermission('owner');
  if (isManagementPlugin(item.plugin)) {
    return (
      <Group gap={6} justify="flex-end">
        <Text size="sm" c="dimmed">
          {messages.managementPlugin}
        </Text>
        <SelfUpdateButton siteIds={[site.id]} isShort size="xs" blockedBy={findSiteBlock(site)} />
      </Group>
    );
  }
  if (action.isPending) {
    return (
      <Group gap={6} justify="flex-end" className={styles.busy}>
        <Loader size={14} aria-hidden />
        <Text size="sm" c="dimmed" role="status">
          {messages.inProgress[action.variables]}
        </Text>
      </Group>
    );
  }
  const blocked = findSiteBlock(site) ?? (action.isSiteBusy ? blockedMessages.siteIsBusy : null);
  const held = findHeldItem(site, { type: 'plugin', slug: item.plugin });
  const button = (name: Exclude<PluginAction, 'delete'>, isPrimary = false) => (
    <Blockable
      reason={
        blocked ?? (name === 'update' ? (findUpdateBlock(site) ?? held?.hold.explanation) : null)
      }
    >
      <Button
        size="xs"
        variant={isPrimary ? 'light' : 'default'}
        onClick={() => action.mutate(name)}
        aria-label={messages.buttonLabel(messages[name], item.name)}
      >
        {messages[name]}
      </Button>
    </Blockable>
  );
  const more = (
    <ActionIcon variant="subtle" color="gray" aria-label={messages.more(item.name)}>
      <IconDots size={16} />
    </ActionIcon>
  );
  return (
    <Group gap={6} justify="flex-end" className={styles.busy}>
      {item.new_version !== undefined && button('update', true)}
      {item.active ? button('deactivate') : button('activate')}
      {blocked ? (
        <Blockable reason={blocked}>{more}</Blockable>
      ) : (
        <Menu position="bottom-end">
          <Menu.Target>{more}</Menu.Target>
          <Menu.Dropdown>
            {item.saved_versions && item.saved_versions.length > 0 && (
              <Menu.Item leftSection={<IconHistory size={15} />} onClick={onRestore}>
                {packagesMessages.restore.menuLabel}
              </Menu.Item>
            )}
            {isOwner && (
              <Menu.Item leftSection={<IconLock size={15} />} onClick={onHold}>
                {holdMessages.holdVersion.menuLabel}
              </Menu.Item>
            )}
            <DangerMenuItem leftSection={<IconTrash size={15} />} onClick={onDelete}>
              {messages.openDelete}
            </DangerMenuItem>
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  );
}
