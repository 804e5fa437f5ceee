import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTitle } from '../../../lib/use-title.ts';
import { commonMessages } from '../../../messages/common.ts';
import styles from './signed-out-layout.module.css';

type Props = { title: string; note?: ReactNode; children: ReactNode };

/** The layout of the pages before sign-in: a form and nothing else. */
export function SignedOutLayout({ title, note, children }: Props) {
  useTitle(title);
  return (
    <main className={styles.layout}>
      <div className={styles.box}>
        <div className={styles.brand}>{commonMessages.productName}</div>
        <Title order={1}>{title}</Title>
        {note && <Text c="dimmed">{note}</Text>}
        <div className={styles.form}>{children}</div>
      </div>
    </main>
  );
}
