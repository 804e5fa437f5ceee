import { Button, Code, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { CopyField } from '../../../components/copy-field.tsx';
import { accountMessages } from '../../../messages/account.ts';

type Props = { codes: string[]; onClose: () => void };

const messages = accountMessages.backupCodes;

/** Shows new backup codes once: the panel stores only their hashes. */
export function BackupCodesDialog({ codes, onClose }: Props) {
  return (
    <Modal
      opened
      title={messages.dialogTitle}
      onClose={onClose}
      // An accidental click or key press must not close the dialog: the codes would be lost.
      closeOnClickOutside={false}
      closeOnEscape={false}
      size="md"
    >
      <Stack gap="sm">
        <Text>{messages.instructions}</Text>
        <SimpleGrid cols={2} spacing={4}>
          {codes.map((code) => (
            <Code key={code} fz="md">
              {code}
            </Code>
          ))}
        </SimpleGrid>
        <CopyField label={messages.all} value={codes.join(' ')} />
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {messages.stored}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
