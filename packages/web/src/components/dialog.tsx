import { Modal, type ModalProps } from '@mantine/core';
import { useIsConfirming } from '../lib/confirmation.ts';

type Props = Omit<ModalProps, 'opened' | 'trapFocus'>;

/**
 * A modal dialog that is open while it is mounted. While the identity confirmation is open above it, it does not trap
 * the focus and ignores Escape.
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
