import {
  IconAlertTriangleFilled,
  IconCircle,
  IconCircleArrowUpFilled,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleFilled,
  IconCircleXFilled,
  IconClock,
  IconLoader2,
  IconLock,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './status-label.module.css';

/** The icon and colour of each kind of status. A word follows the icon, because colour alone is not accessible. */
const KINDS = {
  good: { icon: IconCircleCheckFilled, color: 'good' },
  /** Amber: only for what needs a person. */
  warn: { icon: IconAlertTriangleFilled, color: 'warn' },
  bad: { icon: IconCircleXFilled, color: 'bad' },
  badHollow: { icon: IconCircle, color: 'bad' },
  /** A pending update is the normal state of a fleet, so it is neutral. */
  pending: { icon: IconCircleArrowUpFilled, color: 'pending' },
  waiting: { icon: IconClock, color: 'idle' },
  running: { icon: IconLoader2, color: 'accent' },
  off: { icon: IconCircleFilled, color: 'idle' },
  locked: { icon: IconLock, color: 'idle' },
  empty: { icon: IconCircleDashed, color: 'idle' },
} satisfies Record<string, { icon: TablerIcon; color: string }>;

export type StatusKind = keyof typeof KINDS;

type Props = { kind: StatusKind; children: ReactNode; isSentence?: boolean };

/** A status icon with its word. A sentence can have several lines. */
export function StatusLabel({ kind, children, isSentence = false }: Props) {
  const { icon: Icon, color } = KINDS[kind];
  return (
    <span className={styles.label} data-sentence={isSentence || undefined}>
      <Icon
        size={14}
        aria-hidden
        color={`var(--steward-${color})`}
        className={kind === 'running' ? styles.turning : undefined}
      />
      <span className={isSentence ? undefined : 'truncate'}>{children}</span>
    </span>
  );
}
