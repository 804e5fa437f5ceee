import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { archiveClient, type ClientItem, refreshClients } from '../../../lib/clients-api.ts';
import { notifySuccess } from '../../../lib/notify.ts';
import { clientsMessages } from '../../../messages/clients.ts';

const messages = clientsMessages.archiveDialog;

export function ArchiveClientDialog(props: { client: ClientItem; onClose: () => void }) {
  const { client, onClose } = props;
  const queryClient = useQueryClient();
  const archive = async () => {
    await archiveClient(client.id);
    notifySuccess(messages.done(client.name));
    await refreshClients(queryClient);
  };
  return (
    <ConfirmDialog
      title={messages.title(client.name)}
      confirmLabel={messages.confirm}
      isDangerous
      onConfirm={archive}
      onClose={onClose}
    >
      {messages.effects(client.sites).map((effect) => (
        <Text key={effect}>{effect}</Text>
      ))}
    </ConfirmDialog>
  );
}
