import { Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { countDone, runningRunsQuery } from '../../../lib/runs-api.ts';
import { appMessages } from '../../../messages/app.ts';
import styles from './run-badge.module.css';

const messages = appMessages.runBadge;

/** The progress of the newest running run, as a link to it. */
export function RunBadge({ isSlim }: { isSlim: boolean }) {
  const running = useQuery(runningRunsQuery).data?.runs ?? [];
  const [latest] = running;
  if (!latest) return null;
  const done = countDone(latest);
  const progress = messages.done(done, latest.total);
  const percent = messages.percent(Math.floor((done / latest.total) * 100));
  const others = running.length > 1 ? messages.others(running.length - 1) : '';
  return (
    <Tooltip label={progress + others}>
      <Link
        to="/runs/$runId"
        params={{ runId: String(latest.run_id) }}
        className={`${styles.badge} tabular`}
        data-slim={isSlim || undefined}
        aria-label={messages.linkLabel(percent, progress)}
      >
        {isSlim ? '' : percent}
      </Link>
    </Tooltip>
  );
}
