import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Light, type Look } from '../../../components/light.tsx';
import { Ago } from '../../../components/moment.tsx';
import type { Run } from '../api.ts';
import {
  countOutcomes,
  explain,
  type OutcomeCounts,
  openOf,
  percentDone,
  summaryOf,
  titleOf,
} from '../outcomes.ts';
import { OutcomeBar } from './outcome-bar.tsx';
import styles from './run-line.module.css';

export function RunLine({ run, starter }: { run: Run; starter: string }) {
  const counts = countOutcomes(run);
  const { look, word } = standing(run, counts);
  return (
    <li>
      <Link
        to="/runs/$runId"
        params={{ runId: String(run.run_id) }}
        className={styles.line}
        title={explain(run)}
      >
        <span className={styles.state}>
          <Light look={look}>{word}</Light>
        </span>
        <span className={`${styles.title} cut`}>{titleOf(run)}</span>
        <span className={styles.bar}>
          <OutcomeBar counts={counts} total={run.total} isSlim />
        </span>
        <Text span size="sm" c="dimmed" className={`${styles.summary} cut tabular`}>
          {summaryOf(counts)}
        </Text>
        <Text span size="sm" c="dimmed" className={`${styles.who} cut`}>
          {starter}, <Ago at={run.created_at} />
        </Text>
      </Link>
    </li>
  );
}

/** The run as a whole, in one word. */
function standing(run: Run, counts: OutcomeCounts): { look: Look; word: string } {
  if (run.status === 'running') {
    return { look: 'running', word: `${percentDone(run.total, openOf(counts))} %` };
  }
  if (run.success) return { look: 'good', word: 'Done' };
  if (run.cancelled_at !== null) return { look: 'off', word: 'Cancelled' };
  if ((counts.succeeded ?? 0) + (counts.partial ?? 0) > 0) return { look: 'warn', word: 'In part' };
  return { look: 'bad', word: 'Failed' };
}
