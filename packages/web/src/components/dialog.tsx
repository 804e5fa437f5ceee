import { Modal, type ModalProps } from '@mantine/core';
import { createContext, useContext, useEffect, useState } from 'react';
import { useIsConfirming } from '../lib/confirmation.ts';

type Props = Omit<ModalProps, 'opened' | 'trapFocus'> & {
  /** This dialog asks for the confirmation of the identity, above all others. */
  isConfirmation?: boolean;
};

const CloseContext = createContext<(() => void) | null>(null);

/** Closes the dialog around a field that keeps Escape from it. Null outside dialogs. */
export const useCloseDialog = () => useContext(CloseContext);

/**
 * A modal dialog that is open while it is mounted. While the identity confirmation is open above it, it does not trap
 * the focus and ignores Escape. Its buttons belong into a `DialogFooter`.
 */
export function Dialog({
  closeOnEscape = true,
  isConfirmation = false,
  children,
  ...props
}: Props) {
  useFocusReturn();
  const isCovered = useIsConfirming() && !isConfirmation;
  const mayClose = closeOnEscape && !isCovered;
  return (
    <Modal opened closeOnEscape={mayClose} trapFocus={!isCovered} {...props}>
      <CloseContext value={mayClose ? props.onClose : null}>{children}</CloseContext>
    </Modal>
  );
}

/** Returns the focus to the element that opened the dialog. Mantine does so only for a modal that is mounted while closed. */
function useFocusReturn(): void {
  // Read while rendering: the modal moves the focus in its own effects, which run first.
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement && opener.isConnected)
        opener.focus({ preventScroll: true });
    },
    [opener],
  );
}
