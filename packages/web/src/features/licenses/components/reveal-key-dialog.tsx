import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CopyField } from '../../../components/copy-field.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { type LicenseDetails, revealKey } from '../../../lib/licenses-api.ts';
import { commonMessages } from '../../../messages/common.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';

const { key: keyLabel, reveal: messages } = licenseDialogsMessages;

type Props = { license: LicenseDetails; onClose: () => void };

/** Reveals the full key. The browser discards the key when the dialog closes. */
export function RevealKeyDialog({ license, onClose }: Props) {
  const reveal = useMutation({ mutationFn: () => revealKey(license.id), gcTime: 0 });
  return (
    <Dialog title={messages.title} onClose={onClose} size="lg">
      <Stack gap="sm">
        {reveal.data === undefined ? (
          <Text>{messages.note}</Text>
        ) : (
          <CopyField label={keyLabel} value={reveal.data} />
        )}
        {reveal.isError && <ErrorNote error={reveal.error} />}
        <Group justify="flex-end" gap="xs">
          {reveal.data === undefined ? (
            <>
              <Button variant="default" onClick={onClose}>
                {commonMessages.cancel}
              </Button>
              <Button data-autofocus loading={reveal.isPending} onClick={() => reveal.mutate()}>
                {messages.submit}
              </Button>
            </>
          ) : (
            <Button onClick={onClose}>{commonMessages.done}</Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
