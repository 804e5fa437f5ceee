import { Button, Code, SimpleGrid, Stack, Text } from '@mantine/core';
import { CopyField } from '../../../components/copy-field.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { accountMessages } from '../../../messages/account.ts';

type Props = { codes: string[]; onClose: () => void };

const messages = accountMessages.backupCodes;

/** Shows new backup codes once: the panel stores only their hashes. */
export function BackupCodesDialog({ codes, onClose }: Props) {
  return (
    <Dialog
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
        <DialogFooter>
          <Button onClick={onClose} data-autofocus>
            {messages.stored}
          </Button>
        </DialogFooter>
      </Stack>
    </Dialog>
  );
}
