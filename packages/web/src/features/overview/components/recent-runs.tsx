import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Light } from '../../../components/light.tsx';
import { Ago } from '../../../components/moment.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { count, formatNumber } from '../../../lib/format.ts';
import { doneOf, type Run, recentRunsQuery } from '../../runs/api.ts';
import shared from './overview.module.css';
import { PartsBar } from './parts-bar.tsx';
import styles from './recent-runs.module.css';

const SHOWN = 6;

/** In the order of a bar: what went well, what did not, what did not happen. */
const OUTCOMES = [
  ['succeeded', 'good'],
  ['partial', 'warn'],
  ['unknown', 'warn'],
  ['failed', 'bad'],
  ['refused', 'bad'],
  ['running', 'accent'],
  ['cancelled', 'idle'],
] as const;

export function RecentRuns() {
  const { data, error, refetch } = useQuery(recentRunsQuery);
  if (error) return <ErrorNote error={error} onRetry={refetch} />;
  if (!data) return <SkeletonRows rows={3} />;
  if (data.runs.length === 0) {
    return <p className={shared.quiet}>Nothing has been run yet.</p>;
  }
  return (
    <>
      <ul className={shared.lines}>
        {data.runs.slice(0, SHOWN).map((run) => (
          <li key={run.run_id}>
            <RunLine run={run} />
          </li>
        ))}
      </ul>
      <TextLink to="/runs" className={shared.more} size="sm">
        All runs
      </TextLink>
    </>
  );
}

function RunLine({ run }: { run: Run }) {
  return (
    <Link to="/runs/$runId" params={{ runId: String(run.run_id) }} className={styles.line}>
      <span className={`${styles.what} cut`}>{whatOf(run)}</span>
      <span className={styles.outcome}>
        <PartsBar
          parts={OUTCOMES.map(([status, color]) => ({
            name: status,
            value: run.counts[status] ?? 0,
            color,
          }))}
        />
      </span>
      <span className={styles.counts}>
        <Outcome run={run} />
      </span>
      <span className={styles.when}>
        <Ago at={run.created_at} />
      </span>
    </Link>
  );
}

function Outcome({ run }: { run: Run }) {
  const { counts, status } = run;
  if (status === 'running') {
    return (
      <Light look="running">
        {formatNumber(doneOf(run))} of {formatNumber(run.total)}
      </Light>
    );
  }
  const bad = (counts.failed ?? 0) + (counts.refused ?? 0);
  if (bad > 0) return <Light look="bad">{formatNumber(bad)} failed</Light>;
  if (counts.unknown) return <Light look="warn">{formatNumber(counts.unknown)} unclear</Light>;
  if (counts.partial) return <Light look="warn">{formatNumber(counts.partial)} in part</Light>;
  if (counts.cancelled) return <Light look="off">cancelled</Light>;
  return <Light look="good">done</Light>;
}

const VERBS: Record<string, string> = {
  update: 'Update',
  activate: 'Activate',
  deactivate: 'Deactivate',
  delete: 'Delete',
};

function whatOf({ kind, request, total }: Run): string {
  if (kind === 'update') return `Update ${count(total, 'site')}`;
  if (kind === 'sync') return `Sync ${count(total, 'site')}`;
  const verb = VERBS[request.action ?? ''] ?? 'Change';
  return `${verb} ${request.plugin ?? 'a plugin'} on ${count(total, 'site')}`;
}
