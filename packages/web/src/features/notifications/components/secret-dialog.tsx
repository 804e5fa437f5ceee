import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CopyField } from '../../../components/copy-field.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { commonMessages } from '../../../messages/common.ts';
import { notificationsMessages } from '../../../messages/notifications.ts';
import { revealSecret } from '../api.ts';

const messages = notificationsMessages.secret;

/** Reveals the signing secret. The browser discards it when the dialog closes. */
export function SecretDialog({ channelId, onClose }: { channelId: number; onClose: () => void }) {
  const reveal = useMutation({ mutationFn: () => revealSecret(channelId), gcTime: 0 });
  return (
    <Dialog title={messages.title} onClose={onClose} size="lg">
      <Stack gap="sm">
        {reveal.data === undefined ? (
          <Text>{messages.note}</Text>
        ) : (
          <CopyField label={messages.label} value={reveal.data} />
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
