import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Mark } from '../../../components/mark.tsx';
import { useTitle } from '../../../lib/use-title.ts';
import { accountMessages } from '../../../messages/account.ts';
import { commonMessages } from '../../../messages/common.ts';
import styles from './signed-out-layout.module.css';

type Props = { title: string; note?: ReactNode; children: ReactNode };

/** The layout of the pages before sign-in: what Steward is, and a form. */
export function SignedOutLayout({ title, note, children }: Props) {
  useTitle(title);
  return (
    <main className={styles.layout}>
      <div className={styles.column}>
        <div className={styles.brand}>
          <Mark size={40} />
          <div>
            <div className={styles.name}>{commonMessages.productName}</div>
            <Text c="dimmed">{accountMessages.whatStewardIs}</Text>
          </div>
        </div>
        <div className={styles.box}>
          <Title order={1}>{title}</Title>
          {note && <Text c="dimmed">{note}</Text>}
          <div className={styles.form}>{children}</div>
        </div>
      </div>
    </main>
  );
}
