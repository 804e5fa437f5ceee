import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { count } from '../../../lib/format.ts';
import { makeBackupCodes } from '../second-factor-api.ts';

type Props = { left: number; onCodes: (codes: string[]) => void };

export function BackupCodes({ left, onCodes }: Props) {
  const make = useMutation({
    mutationFn: makeBackupCodes,
    gcTime: 0,
    onSuccess: ({ backup_codes }) => onCodes(backup_codes),
  });
  return (
    <div>
      <Group justify="space-between" gap="sm">
        <div>
          <Text>Backup codes</Text>
          <Text size="sm" c="dimmed">
            {count(left, 'code')} left, for when you do not have your second factor. New codes
            replace them.
          </Text>
        </div>
        <Button variant="default" loading={make.isPending} onClick={() => make.mutate()}>
          Make new codes
        </Button>
      </Group>
      {make.isError && <ErrorNote error={make.error} />}
    </div>
  );
}
