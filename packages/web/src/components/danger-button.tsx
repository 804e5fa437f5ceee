import { Button, type ButtonProps, type ElementProps } from '@mantine/core';
import styles from './danger-button.module.css';

type Props = Omit<ButtonProps, 'color' | 'variant'> &
  ElementProps<'button', keyof ButtonProps> & {
    /** The button that confirms the action in its dialog. */
    isConfirmation?: boolean;
  };

/**
 * A button that deletes, removes, revokes, archives, disconnects or disables: red, last in its group and apart from
 * the other buttons. `danger.test.ts` finds buttons that should be one.
 */
export function DangerButton({ isConfirmation = false, ...props }: Props) {
  const look = isConfirmation
    ? { color: 'red.9' }
    : { variant: 'default', c: 'var(--steward-bad)' };
  return <Button {...look} {...props} className={styles.button} />;
}
