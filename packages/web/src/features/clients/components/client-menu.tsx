import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { DangerMenuItem } from '../../../components/danger-menu-item.tsx';
import {
  type ClientItem,
  isActive,
  refreshClients,
  restoreClient,
} from '../../../lib/clients-api.ts';
import { notifyError, notifySuccess } from '../../../lib/notify.ts';
import { clientsMessages as messages } from '../../../messages/clients.ts';

type Props = { client: ClientItem } & Record<'onEdit' | 'onArchive', (client: ClientItem) => void>;

export function ClientMenu({ client, onEdit, onArchive }: Props) {
  const queryClient = useQueryClient();
  const restore = useMutation({
    mutationFn: () => restoreClient(client.id),
    onSuccess: () => notifySuccess(messages.restored(client.name)),
    onError: notifyError,
    onSettled: () => refreshClients(queryClient),
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={messages.actions(client.name)}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onEdit(client)}>{messages.edit}</Menu.Item>
        {isActive(client) ? (
          <DangerMenuItem onClick={() => onArchive(client)}>{messages.archive}</DangerMenuItem>
        ) : (
          <Menu.Item onClick={() => restore.mutate()}>{messages.restore}</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
