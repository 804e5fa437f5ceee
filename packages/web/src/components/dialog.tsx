import { Modal, type ModalProps } from '@mantine/core';
import { useIsConfirming } from '../lib/confirmation.ts';

type Props = Omit<ModalProps, 'opened' | 'trapFocus'>;

/**
 * A modal dialog, open while it is mounted. If a call from it needs a confirmation of the user's identity, that dialog
 * opens above this one, which then releases the keyboard.
 */
export function Dialog({ closeOnEscape = true, ...props }: Props) {
  const isConfirming = useIsConfirming();
  return (
    <Modal
      opened
      closeOnEscape={closeOnEscape && !isConfirming}
      trapFocus={!isConfirming}
      {...props}
    />
  );
}
