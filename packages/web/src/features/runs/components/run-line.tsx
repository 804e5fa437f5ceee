import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { OutcomeBar } from '../../../components/outcome-bar.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import {
  countOutcomes,
  describeRun,
  runState,
  runTitle,
  summarizeOutcomes,
} from '../../../lib/run-outcomes.ts';
import type { Run } from '../../../lib/runs-api.ts';
import { runsMessages } from '../../../messages/runs.ts';
import styles from './run-line.module.css';

export function RunLine({ run, starter }: { run: Run; starter: string }) {
  const counts = countOutcomes(run);
  const { kind, word } = runState(run, counts);
  return (
    <li>
      <Link
        to="/runs/$runId"
        params={{ runId: String(run.run_id) }}
        className={styles.line}
        title={describeRun(run)}
      >
        <span className={styles.state}>
          <StatusLabel kind={kind}>{word}</StatusLabel>
        </span>
        <span className={`${styles.title} truncate`}>{runTitle(run)}</span>
        <span className={styles.bar}>
          <OutcomeBar counts={counts} total={run.total} isSlim />
        </span>
        <Text span size="sm" c="dimmed" className={`${styles.summary} truncate tabular`}>
          {summarizeOutcomes(counts)}
        </Text>
        <Text span size="sm" c="dimmed" className={`${styles.who} truncate`}>
          {runsMessages.list.startedBy(starter)}
          <RelativeTime at={run.created_at} />
        </Text>
      </Link>
    </li>
  );
}
