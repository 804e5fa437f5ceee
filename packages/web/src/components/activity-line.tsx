import { Text } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import styles from './activity-line.module.css';
import { type StatusKind, StatusLabel } from './status-label.tsx';
import { RelativeTime } from './time.tsx';

type Props = {
  link: Pick<LinkProps, 'to' | 'params'>;
  state: { kind: StatusKind; word: string };
  title: string;
  /** Shown on hover. */
  hint?: string;
  bars: ReactNode;
  summary: string;
  /** Followed by the time. */
  startedBy: string;
  at: string;
};

/** A run or a rollout: its state, its progress, and the user who started it. */
export function ActivityLine({ link, state, title, hint, bars, summary, startedBy, at }: Props) {
  return (
    <li className={styles.item}>
      <Link {...link} className={styles.line} title={hint}>
        <span className={styles.state}>
          <StatusLabel kind={state.kind}>{state.word}</StatusLabel>
        </span>
        <span className={`${styles.title} truncate`}>{title}</span>
        <span className={styles.bars}>{bars}</span>
        <Text span size="sm" c="dimmed" className={`${styles.summary} truncate tabular`}>
          {summary}
        </Text>
        <Text span size="sm" c="dimmed" className={`${styles.who} truncate`}>
          {startedBy}
          <RelativeTime at={at} />
        </Text>
      </Link>
    </li>
  );
}
