import { Button, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';

type Props = {
  title: string;
  /** What will happen, and what is lost. */
  children: ReactNode;
  /** A verb with its object: "Suspend license". */
  confirmLabel: string;
  /** Where "Cancel" could be taken for what is asked about. */
  cancelLabel?: string;
  isDangerous?: boolean;
  isBlocked?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks before something is done. A refusal is shown right here, and the dialog stays. */
export function ConfirmDialog(props: Props) {
  const {
    title,
    children,
    confirmLabel,
    cancelLabel = 'Cancel',
    isDangerous,
    isBlocked,
    onConfirm,
    onClose,
  } = props;
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    setFault(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  };
  // What was asked for is under way: its refusal must find somebody to read it.
  const close = isBusy ? () => {} : onClose;
  return (
    <Dialog title={title} onClose={close} size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBlocked) void confirm();
        }}
      >
        <Stack gap="sm">
          {children}
          {fault !== null && <ErrorNote error={fault} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {cancelLabel}
            </Button>
            <Button
              type="submit"
              loading={isBusy}
              disabled={isBlocked === true}
              {...(isDangerous ? { color: 'red.9' } : {})}
              data-autofocus={isDangerous ? undefined : true}
            >
              {confirmLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
