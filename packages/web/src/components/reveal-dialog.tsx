import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { commonMessages } from '../messages/common.ts';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { ErrorNote } from './error-note.tsx';

type Props = {
  /** `label` names the revealed value. */
  messages: { title: string; note: string; submit: string; label: string };
  reveal: () => Promise<string>;
  onClose: () => void;
};

/** Reveals a secret. The browser discards it when the dialog closes. */
export function RevealDialog({ messages, reveal, onClose }: Props) {
  const { data: secret, error, isPending, mutate } = useMutation({ mutationFn: reveal, gcTime: 0 });
  return (
    <Dialog title={messages.title} onClose={onClose} size="lg">
      <Stack gap="sm">
        {secret === undefined ? (
          <Text>{messages.note}</Text>
        ) : (
          <CopyField label={messages.label} value={secret} />
        )}
        {error && <ErrorNote error={error} />}
        <DialogFooter>
          {secret === undefined ? (
            <>
              <Button variant="default" onClick={onClose}>
                {commonMessages.cancel}
              </Button>
              <Button data-autofocus loading={isPending} onClick={() => mutate()}>
                {messages.submit}
              </Button>
            </>
          ) : (
            <Button onClick={onClose}>{commonMessages.done}</Button>
          )}
        </DialogFooter>
      </Stack>
    </Dialog>
  );
}
