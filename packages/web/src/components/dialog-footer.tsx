import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';

/** The buttons of a dialog. They stay in sight while the content above them scrolls. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return (
    <Group justify="flex-end" gap="xs" className={styles.footer} data-dialog-footer>
      {children}
    </Group>
  );
}
