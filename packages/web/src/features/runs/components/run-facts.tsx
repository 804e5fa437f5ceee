import { Link } from '@tanstack/react-router';
import { Ago } from '../../../components/moment.tsx';
import { count, formatDuration } from '../../../lib/format.ts';
import { explain, type OutcomeCounts, openOf, percentDone } from '../../../lib/run-outcomes.ts';
import type { Run } from '../../../lib/runs-api.ts';
import { useNow } from '../../../lib/use-now.ts';
import { usePeople } from '../use-people.ts';

/** Earlier there is no pace, only a start. */
const PACE_AFTER_MS = 2000;

type Props = { run: Run; counts: OutcomeCounts; isConnected: boolean };

/** What it does, who started it and when, how long it took or will take. */
export function RunFacts({ run, counts, isConnected }: Props) {
  const nameOf = usePeople();
  return (
    <>
      <div>
        {explain(run)}. Started by {nameOf(run.created_by)}, <Ago at={run.created_at} />
        {run.retry_of !== null && (
          <>
            , to try{' '}
            <Link to="/runs/$runId" params={{ runId: String(run.retry_of) }}>
              an earlier run
            </Link>{' '}
            again
          </>
        )}
        .
      </div>
      <div className="tabular" role="status">
        <Times run={run} counts={counts} />
        {!isConnected &&
          ' The connection to the panel was lost; the run goes on, this page as well.'}
      </div>
    </>
  );
}

function Times({ run, counts }: { run: Run; counts: OutcomeCounts }) {
  const isRunning = run.status === 'running';
  const now = useNow(isRunning);
  const began = Date.parse(run.created_at);
  if (!isRunning) {
    const took = formatDuration(Date.parse(run.finished_at ?? run.created_at) - began);
    return run.cancelled_at === null
      ? `Finished after ${took}.`
      : `Cancelled; ended after ${took}.`;
  }
  const open = openOf(counts);
  const elapsed = Math.max(0, now - began);
  const words = [`${percentDone(run.total, open)} % after ${formatDuration(elapsed)}`];
  if (run.cancelled_at !== null) words.push('cancelled, what had begun is being finished');
  else words.push(...outlook(elapsed, run.total - open, counts));
  return `${words.join(', ')}.`;
}

/**
 * From the pace so far; with the first few sites there is none yet. How long a site takes to say what
 * became of it, nobody knows.
 */
function outlook(elapsedMs: number, done: number, counts: OutcomeCounts): string[] {
  const open = (counts.queued ?? 0) + (counts.running ?? 0);
  const findingOut = counts.finding_out ?? 0;
  if (open === 0 && findingOut > 0) {
    return [`asking ${count(findingOut, 'site')} what became of the call`];
  }
  const isEnough = elapsedMs >= PACE_AFTER_MS && (done >= 5 || (done > 0 && done >= open));
  return isEnough ? [`about ${formatDuration((elapsedMs / done) * open)} left`] : [];
}
