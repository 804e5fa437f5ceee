import type { ReactNode } from 'react';
import { type StatusKind, StatusLabel } from '../../../components/status-label.tsx';
import styles from './attention-row.module.css';

type Props = {
  kind: StatusKind;
  /** The sentence with its link. */
  children: ReactNode;
  note?: string;
  /** Below the sentence. */
  more?: ReactNode;
  action?: ReactNode;
};

export function AttentionRow({ kind, children, note, more, action }: Props) {
  return (
    <li className={styles.row}>
      <div className={styles.words}>
        <StatusLabel kind={kind}>
          {children}
          {note && <span className={`${styles.note} tabular`}> {note}</span>}
        </StatusLabel>
        {more}
      </div>
      {action && <div className={styles.action}>{action}</div>}
    </li>
  );
}
