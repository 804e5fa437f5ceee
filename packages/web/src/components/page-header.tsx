import { Group, Text, Title } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTitle } from '../lib/use-title.ts';
import styles from './page-header.module.css';

export type ParentPage = Pick<LinkProps, 'to' | 'search'> & { label: string };

type Props = {
  title: string;
  /** One sentence, or a count. */
  note?: ReactNode;
  /** The primary action of the page, on the right. */
  action?: ReactNode;
  /** The parent page. */
  back?: ParentPage;
  /** The width of the page: `form` for fields, `reading` for lists with few columns. Other pages use the whole window. */
  width?: 'form' | 'reading';
  /** Replaces the title in the browser tab. */
  tabTitle?: string;
};

export function PageHeader({ title, note, action, back, width, tabTitle }: Props) {
  useTitle(tabTitle ?? title);
  return (
    <header className={styles.header} data-width={width}>
      <div className={styles.words}>
        {back && (
          <Link to={back.to} search={back.search} className={styles.back}>
            <IconChevronLeft size={14} aria-hidden />
            {back.label}
          </Link>
        )}
        <Title order={1} className={styles.title}>
          {title}
        </Title>
        {note !== undefined && (
          <Text c="dimmed" component="div" className={styles.note}>
            {note}
          </Text>
        )}
      </div>
      {action && <Group gap="xs">{action}</Group>}
    </header>
  );
}
