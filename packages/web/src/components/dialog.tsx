import { Modal, type ModalProps } from '@mantine/core';
import { useIsConfirming } from '../lib/confirmation.ts';

type Props = Omit<ModalProps, 'opened' | 'trapFocus'>;

/**
 * A modal dialog that is open while it is mounted. It releases the keyboard while the identity confirmation is open
 * above it.
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
