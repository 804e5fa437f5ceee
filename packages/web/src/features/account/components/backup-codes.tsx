import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { accountMessages } from '../../../messages/account.ts';
import { createBackupCodes } from '../second-factor-api.ts';

const messages = accountMessages.backupCodes;

type Props = { remaining: number; onCodes: (codes: string[]) => void };

export function BackupCodes({ remaining, onCodes }: Props) {
  const create = useMutation({
    mutationFn: createBackupCodes,
    gcTime: 0,
    onSuccess: ({ backup_codes }) => onCodes(backup_codes),
  });
  return (
    <div>
      <Group justify="space-between" gap="sm">
        <div>
          <Text>{messages.title}</Text>
          <Text size="sm" c="dimmed">
            {messages.left(remaining)}
          </Text>
        </div>
        <Button variant="default" loading={create.isPending} onClick={() => create.mutate()}>
          {messages.create}
        </Button>
      </Group>
      {create.isError && <ErrorNote error={create.error} />}
    </div>
  );
}
