import { Button, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { commonMessages } from '../messages/common.ts';
import { Blockable } from './blockable.tsx';
import { DangerButton } from './danger-button.tsx';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { ErrorNote } from './error-note.tsx';

type Props = {
  title: string;
  /** The effect of the action, including any loss of data. */
  children: ReactNode;
  /** A verb with its object, such as "Suspend license". */
  confirmLabel: string;
  /** Replaces "Cancel" where it is ambiguous, such as in the dialog "Cancel run". */
  cancelLabel?: string;
  isDangerous?: boolean;
  /** Why the user cannot confirm yet. */
  blockedBy?: string | null | undefined;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks for confirmation before an action. If the action fails, the dialog stays open and shows the error. */
export function ConfirmDialog(props: Props) {
  const {
    title,
    children,
    confirmLabel,
    cancelLabel = commonMessages.cancel,
    isDangerous,
    blockedBy,
    onConfirm,
    onClose,
  } = props;
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  // The dialog must stay open while the action runs, because it shows the error if the action fails.
  const close = isBusy ? () => {} : onClose;
  return (
    <Dialog title={title} onClose={close} size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!blockedBy) void confirm();
        }}
      >
        <Stack gap="sm">
          {children}
          {error !== null && <ErrorNote error={error} />}
          <DialogFooter>
            <Button variant="default" onClick={close}>
              {cancelLabel}
            </Button>
            <Blockable reason={blockedBy}>
              {isDangerous ? (
                <DangerButton isConfirmation type="submit" loading={isBusy}>
                  {confirmLabel}
                </DangerButton>
              ) : (
                <Button type="submit" loading={isBusy} data-autofocus>
                  {confirmLabel}
                </Button>
              )}
            </Blockable>
          </DialogFooter>
        </Stack>
      </form>
    </Dialog>
  );
}
