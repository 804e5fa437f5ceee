import { Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../../../lib/format.ts';
import { doneOf, runningRunsQuery } from '../../../lib/runs-api.ts';
import styles from './run-badge.module.css';

/** How far the run is that goes on now; leads to it. */
export function RunBadge({ isSlim }: { isSlim: boolean }) {
  const running = useQuery(runningRunsQuery).data?.runs ?? [];
  const [latest] = running;
  if (!latest) return null;
  const done = `${formatNumber(doneOf(latest))} of ${formatNumber(latest.total)} sites done`;
  const percent = `${Math.floor((doneOf(latest) / latest.total) * 100)} %`;
  const others = running.length > 1 ? `, and ${running.length - 1} more running` : '';
  return (
    <Tooltip label={done + others}>
      <Link
        to="/runs/$runId"
        params={{ runId: String(latest.run_id) }}
        className={`${styles.badge} tabular`}
        data-slim={isSlim || undefined}
        aria-label={`${percent}, open the run: ${done}`}
      >
        {isSlim ? '' : percent}
      </Link>
    </Tooltip>
  );
}
