import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { accountMessages } from '../../../messages/account.ts';
import { createBackupCodes } from '../second-factor-api.ts';

const messages = accountMessages.backupCodes;

type Props = { remaining: number; onCodes: (codes: string[]) => void };

export function BackupCodes({ remaining, onCodes }: Props) {
  const [isOpen, dialog] = useDisclosure();
  const create = async () => onCodes((await createBackupCodes()).backup_codes);
  return (
    <div>
      <Group justify="space-between" gap="sm">
        <div>
          <Text>{messages.title}</Text>
          <Text size="sm" c="dimmed">
            {messages.left(remaining)}
          </Text>
        </div>
        <Button variant="default" onClick={dialog.open}>
          {messages.create}
        </Button>
      </Group>
      {isOpen && (
        <ConfirmDialog
          title={messages.replaceTitle}
          confirmLabel={messages.create}
          onConfirm={create}
          onClose={dialog.close}
        >
          <Text>{messages.replaceEffect(remaining)}</Text>
        </ConfirmDialog>
      )}
    </div>
  );
}
