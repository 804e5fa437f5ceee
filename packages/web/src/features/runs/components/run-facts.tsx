import { TextLink } from '../../../components/text-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import {
  countUnfinished,
  describeRun,
  type OutcomeCounts,
  percentDone,
} from '../../../lib/run-outcomes.ts';
import type { Run } from '../../../lib/runs-api.ts';
import { useNow } from '../../../lib/use-now.ts';
import { outcomeMessages } from '../../../messages/outcomes.ts';
import { runsMessages } from '../../../messages/runs.ts';
import { useStarterNames } from '../use-starter-names.ts';

const messages = runsMessages.facts;
/** The page shows no estimate in this time after the start: the first sites are often the fastest. */
const ESTIMATE_AFTER_MS = 10_000;
/** For the upper end of an estimate, each remaining site takes twice the average time so far. */
const SLOWER_FACTOR = 2;

type Props = { run: Run; counts: OutcomeCounts; isConnectionLost: boolean };

/** The kind of the run, the user who started it, its start, and its duration or estimate. */
export function RunFacts({ run, counts, isConnectionLost }: Props) {
  const nameStarter = useStarterNames();
  return (
    <>
      <div>
        {run.schedule ? (
          <>
            {messages.startedBySchedule.before(describeRun(run))}
            <TextLink inherit underline="always" to="/schedules">
              {run.schedule.name}
            </TextLink>
            {messages.startedBySchedule.after}
          </>
        ) : (
          messages.started(describeRun(run), nameStarter(run))
        )}
        <RelativeTime at={run.created_at} />
        {run.retry_of !== null && (
          <>
            {messages.retryOf.before}
            <TextLink
              inherit
              underline="always"
              to="/runs/$runId"
              params={{ runId: String(run.retry_of) }}
            >
              {messages.retryOf.link}
            </TextLink>
          </>
        )}
        .{run.only_your_sites && ` ${messages.onlyYourSites}`}
        {run.rollout && (
          <>
            {messages.rollout.before}
            <TextLink
              inherit
              underline="always"
              to="/rollouts/$rolloutId"
              params={{ rolloutId: String(run.rollout.rollout_id) }}
            >
              {run.rollout.name}
            </TextLink>
            {messages.rollout.ring(run.rollout.ring)}
          </>
        )}
      </div>
      <div className="tabular" role="status">
        <Times run={run} counts={counts} />
        {isConnectionLost && messages.connectionLost}
      </div>
    </>
  );
}

function Times({ run, counts }: { run: Run; counts: OutcomeCounts }) {
  const isRunning = run.status === 'running';
  const now = useNow(isRunning);
  const startedAt = Date.parse(run.created_at);
  if (!isRunning) {
    const durationMs = Date.parse(run.finished_at ?? run.created_at) - startedAt;
    return run.cancelled_at === null
      ? messages.finished(durationMs)
      : messages.cancelled(durationMs);
  }
  const unfinished = countUnfinished(counts);
  const elapsedMs = Math.max(0, now - startedAt);
  const percent = outcomeMessages.percent(percentDone(run.total, unfinished));
  const progress = messages.progress(percent, elapsedMs);
  if (run.cancelled_at !== null) return `${progress}. ${messages.cancelling}`;
  return progress + describeRemaining(elapsedMs, run.total - unfinished, counts);
}

/** Estimates the remaining time from the pace so far. The verification of sites has no predictable duration. */
function describeRemaining(elapsedMs: number, done: number, counts: OutcomeCounts): string {
  const { queued = 0, running = 0, verifying = 0, retrying = 0 } = counts;
  const remaining = queued + running;
  // The pause before the next call can be longer than all calls so far.
  if (retrying > 0) return `. ${messages.retrying(retrying)}.`;
  if (remaining === 0 && verifying > 0) return `. ${messages.verifying(verifying)}.`;
  if (elapsedMs < ESTIMATE_AFTER_MS || done < (done + remaining + verifying) / 3) return '.';
  // The last sites are often slow, so the pace of the finished sites does not predict their end.
  if (queued === 0) return running > 0 ? `. ${messages.lastSites(running)}.` : '.';
  const leastMs = (elapsedMs / done) * remaining;
  return `, ${messages.remaining(leastMs, leastMs * SLOWER_FACTOR)}.`;
}
