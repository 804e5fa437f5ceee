import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './banner.module.css';

type Props = {
  tone: 'bad' | 'calm';
  title: ReactNode;
  /** The consequence for the site or the user. */
  children?: ReactNode;
  /** Buttons and links with the next steps. */
  steps?: ReactNode;
};

/** An alert: what happened, its consequence and the next steps. */
export function Banner({ tone, title, children, steps }: Props) {
  return (
    <div className={styles.banner} data-tone={tone} role="alert">
      <IconAlertTriangle size={18} aria-hidden className={styles.icon} />
      <div className={styles.words}>
        <div className={styles.title}>{title}</div>
        {children && <div>{children}</div>}
        {steps && <div className={styles.steps}>{steps}</div>}
      </div>
    </div>
  );
}
