import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import lines from '../../../components/lines.module.css';
import { OutcomeBar } from '../../../components/outcome-bar.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { countOutcomes, runState, runTitle } from '../../../lib/run-outcomes.ts';
import { type Run, recentRunsQuery } from '../../../lib/runs-api.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import shared from './overview.module.css';
import styles from './recent-runs.module.css';

const MAX_SHOWN = 8;

export function RecentRuns() {
  const { data, error, refetch } = useQuery(recentRunsQuery);
  if (!data) {
    return error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows rows={3} />;
  }
  if (data.runs.length === 0) {
    return (
      <EmptyState isSection title={overviewMessages.runs.emptyTitle}>
        {overviewMessages.runs.empty}
      </EmptyState>
    );
  }
  return (
    <>
      {error && <ErrorNote error={error} onRetry={refetch} />}
      <ul className={`${lines.list} ${styles.runs}`}>
        {data.runs.slice(0, MAX_SHOWN).map((run) => (
          <li key={run.run_id}>
            <RunLine run={run} />
          </li>
        ))}
      </ul>
      <TextLink to="/runs" className={shared.more} size="sm">
        {overviewMessages.runs.all}
      </TextLink>
    </>
  );
}

function RunLine({ run }: { run: Run }) {
  const counts = countOutcomes(run);
  const { kind, word } = runState(run, counts);
  return (
    <Link to="/runs/$runId" params={{ runId: String(run.run_id) }} className={styles.line}>
      <span className={`${styles.what} truncate`}>{runTitle(run)}</span>
      <span className={styles.outcome}>
        <OutcomeBar counts={counts} total={run.total} isSlim />
      </span>
      <span className={styles.counts}>
        <StatusLabel kind={kind}>{word}</StatusLabel>
      </span>
      <span className={styles.when}>
        <RelativeTime at={run.created_at} />
      </span>
    </Link>
  );
}
