import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTitle } from '../../../lib/use-title.ts';
import styles from './door.module.css';

type Props = { title: string; note?: ReactNode; children: ReactNode };

/** The pages before one is in: a form and nothing else. */
export function Door({ title, note, children }: Props) {
  useTitle(title);
  return (
    <main className={styles.door}>
      <div className={styles.box}>
        <div className={styles.brand}>Steward</div>
        <Title order={1}>{title}</Title>
        {note && <Text c="dimmed">{note}</Text>}
        <div className={styles.form}>{children}</div>
      </div>
    </main>
  );
}
