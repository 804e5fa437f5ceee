import type { ComponentProps, ReactNode } from 'react';
import styles from './activity-list.module.css';
import { LoadOlderButton } from './load-older-button.tsx';

type Props = {
  label: string;
  query: ComponentProps<typeof LoadOlderButton>['query'];
  loadOlder: string;
  children: ReactNode;
};

/** Runs or rollouts, newest first. */
export function ActivityList({ label, query, loadOlder, children }: Props) {
  return (
    <>
      <ul className={styles.list} aria-label={label}>
        {children}
      </ul>
      <LoadOlderButton query={query} label={loadOlder} />
    </>
  );
}
