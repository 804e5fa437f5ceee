import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { StatusLabel } from '../../../components/status-label.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import type { Rollout } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { rolloutState, sumCounts, summarizeCounts } from '../rollout-state.ts';
import { RingBar } from './ring-bar.tsx';
import styles from './rollout-line.module.css';

const messages = rolloutMessages.list;

/** One rollout with its state, and one bar per ring. */
export function RolloutLine({ rollout }: { rollout: Rollout }) {
  const { kind, word } = rolloutState(rollout);
  const rings = rollout.rings.filter(({ sites }) => sites > 0);
  return (
    <li>
      <Link
        to="/rollouts/$rolloutId"
        params={{ rolloutId: String(rollout.rollout_id) }}
        className={styles.line}
      >
        <span className={styles.state}>
          <StatusLabel kind={kind}>{word}</StatusLabel>
        </span>
        <span className={`${styles.title} truncate`}>{rollout.name}</span>
        <span className={styles.bars}>
          {rings.map((ring) => (
            <RingBar
              key={ring.position}
              counts={ring.counts}
              total={ring.sites}
              label={messages.ringProgress(ring.name, summarizeCounts(ring.counts))}
            />
          ))}
        </span>
        <Text span size="sm" c="dimmed" className={`${styles.summary} truncate tabular`}>
          {summarizeCounts(sumCounts(rollout.rings))}
        </Text>
        <Text span size="sm" c="dimmed" className={`${styles.who} truncate`}>
          {messages.startedBy(rollout.created_by ?? rolloutMessages.unknownUser)}
          <RelativeTime at={rollout.created_at} />
        </Text>
      </Link>
    </li>
  );
}
