import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './banner.module.css';

type Props = {
  /** `warn` is for what needs a person, `calm` for what only explains. */
  tone: 'bad' | 'warn' | 'calm';
  title?: ReactNode;
  /** The consequence for the site or the user. */
  children?: ReactNode;
  /** Buttons and links with the next steps. */
  steps?: ReactNode;
  /** `status` for an alert that the user expects: screen readers finish their sentence first. */
  role?: 'alert' | 'status';
};

/** The one alert of all pages: what happened, its consequence and the next steps. */
export function Banner({ tone, title, children, steps, role = 'alert' }: Props) {
  const Icon = tone === 'calm' ? IconInfoCircle : IconAlertTriangle;
  return (
    <div className={styles.banner} data-tone={tone} role={role}>
      <Icon size={18} aria-hidden className={styles.icon} />
      <div className={styles.words}>
        {title && <div className={styles.title}>{title}</div>}
        {children && <div>{children}</div>}
        {steps && <div className={styles.steps}>{steps}</div>}
      </div>
    </div>
  );
}
