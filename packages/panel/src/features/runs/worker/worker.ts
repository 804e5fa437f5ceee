import { setTimeout as sleep } from 'node:timers/promises';
import { createAddressLookup } from '../../../platform/address-lookup.ts';
import type { Config } from '../../../platform/config.ts';
import type { Trx } from '../../../platform/database/handles.ts';
import { isTransientError } from '../../../platform/database/is-transient-error.ts';
import { createSiteLookup } from '../../../platform/dns-overrides.ts';
import { createLimiter, type Limiter } from '../../../platform/limiter.ts';
import { createSiteClient } from '../../../site-client/index.ts';
import { createProofService } from '../../licenses/index.ts';
import { announceFailures } from '../announce-failures.ts';
import { cancelQueuedTasks, WORKER_ORIGIN } from '../cancel-runs.ts';
import { createJobs, createNextJob, type FetchedCallJob, URGENT_PRIORITY } from '../jobs.ts';
import { internalErrorResult } from '../outcome/task-outcome.ts';
import { listUnfinishedTasks, lockRuns } from '../runs.repository.ts';
import { createAttempts, RECOVERED, type Release } from './attempt-task.ts';
import { DELAYS, type Delays } from './call-site.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { createJobEnder } from './end-cancelled-jobs.ts';
import { createResultWriter, retryUntilDone, type TaskWithResult } from './save-results.ts';
import { beginNextAttempt, readInventoryBefore } from './tasks.repository.ts';
import { createUpdateHealth } from './update-health.ts';

export type WorkerConfig = Pick<
  Config,
  'allowPrivateSites' | 'siteAddresses' | 'siteTimeouts' | 'siteCallLimits'
>;

export type WorkerTiming = {
  delays?: Delays;
  /** Time limit of a stopping worker for calls in flight. */
  stopWithinMs?: number;
  /** A site is slow if the last call of a task lasted this long. */
  slowCallSeconds?: number;
  /** After this time, a call no longer counts for the concurrency limit. */
  longCallSeconds?: number;
};

/** Longer than most updates: a run calls slow sites last. */
const SLOW_CALL_SECONDS = 10;
/** Shorter than `MAX_WAIT_MS`: otherwise the waiting jobs would give up first. */
const LONG_CALL_SECONDS = 3;
/** The number of long calls beyond the concurrency limit, as a share of the limit. They only wait for their sites. */
const LONG_CALL_SHARE = 0.5;
const STOP_WITHIN_MS = 5000;
/** Extra calls for single actions: hanging sites can block all other calls for 15 minutes. */
const MAX_SINGLE_ACTIONS = 5;
/** Delay before a handler fetches its next job if the concurrency limit was reached during the whole wait. */
const AT_LIMIT_DELAY_MS = 10_000;
const ADD_LOST_JOBS_MS = 5 * 60_000;
/** More handlers than calls: some wait for their admission, observe a site or save a result while others call sites. */
const HANDLERS_PER_CALL = 3;

/** Fetches the jobs of all runs and calls the sites. */
export async function startWorker(
  deps: WorkerDependencies,
  { allowPrivateSites, siteAddresses, siteTimeouts: timeouts, siteCallLimits }: WorkerConfig,
  {
    delays = DELAYS,
    stopWithinMs = STOP_WITHIN_MS,
    slowCallSeconds = SLOW_CALL_SECONDS,
    longCallSeconds = LONG_CALL_SECONDS,
  }: WorkerTiming,
) {
  const { db, queue, log } = deps;
  const [stopping, timeUp] = [new AbortController(), new AbortController()];
  const retryOptions = { log, signal: timeUp.signal };
  const results = createResultWriter({ ...deps, ...retryOptions });
  const endJobs = createJobEnder(deps);
  const addressOf = createAddressLookup(createSiteLookup(siteAddresses));
  const signer = deps.signingKeys;
  const siteClient = createSiteClient({ allowPrivateSites, siteAddresses, timeouts, signer });
  const proofSeconds = timeouts.actionSeconds;
  const { prove } = createProofService({ ...deps, siteClient, proofSeconds });
  const reports = {
    readLastReport: (siteId: number) =>
      retryUntilDone(() => deps.sites.readLastReport(siteId), retryOptions),
    readInventoryBefore: (taskId: number) =>
      retryUntilDone(() => readInventoryBefore(db, taskId), retryOptions),
  };
  const updateHealth = createUpdateHealth({
    ...{ ...deps, siteClient, delays },
    signal: timeUp.signal,
    retry: (run) => retryUntilDone(run, retryOptions),
  });
  const attemptTask = createAttempts({
    ...{ ...deps, ...retryOptions, ...reports, siteClient, prove, timeouts, delays, updateHealth },
    ...{ siteCallLimits, slowCallSeconds, stopping: stopping.signal },
  });

  async function handle(job: FetchedCallJob, limit: Limiter): Promise<void> {
    // Fencing: pg-boss ends a job by its id alone. The release creates a job with another id and the next attempt
    // number. If the previous worker is only slow, it can then neither end the job nor save a result.
    if (job.retryCount > 0) return release(job, RECOVERED);
    const address = await addressOf(job.data.host, job.groupId);
    const result = await attemptTask({ job, address }, limit);
    if (result.kind === 'end') return save(result);
    if (result.kind === 'drop') {
      if (result.hasEnded) await retryUntilDone(() => endJobs(job.data.runId), retryOptions);
      return;
    }
    await release(job, result);
    // A fetched job blocks its site for other workers and single actions, so this handler fetches no other job for a while.
    if (result.isAtLimit)
      await sleep(AT_LIMIT_DELAY_MS, undefined, { signal: stopping.signal }).catch(() => {});
  }

  async function save(ended: TaskWithResult): Promise<void> {
    try {
      await results.submit(ended);
    } catch (error) {
      if (isTransientError(error)) throw error;
      log.error({ err: error, task: ended.task.id }, 'Could not save a task result.');
      await results.submit({ ...ended, result: internalErrorResult() });
    }
  }

  /** Releases the task for its next attempt, by any worker. */
  function release(
    job: FetchedCallJob,
    { callState, isRecovered, isSlow, isAtLimit, ...next }: Release,
  ): Promise<void> {
    const { runId } = job.data;
    const write = async (trx: Trx) => {
      const [run] = await lockRuns(trx, [runId]);
      const status = run && (await beginNextAttempt(trx, job.data, callState));
      if (!status) return;
      next.reconciles = status === 'unknown';
      // Wait first: a process suspended after its dispatch may send the call up to half a lease later.
      if (isRecovered && next.reconciles) next.afterSeconds = job.heartbeatSeconds / 2;
      if (run.cancelled_at && callState === 'not_called') {
        // The cancel left this task running because its call was dispatched. The call was never sent.
        const cancellation = { origin: WORKER_ORIGIN, reason: 'call_taken_back' } as const;
        await cancelQueuedTasks(trx, run, cancellation, deps);
        await announceFailures(trx, deps.notificationOutbox, [runId]);
      } else {
        await queue.replace(trx, job, createNextJob(job, next));
      }
      // Last: the transaction that saves results locks the audit log before the sites.
      const siteId = Number(job.singletonKey);
      if (isSlow) await deps.sites.storeSlowness(trx, [{ siteId, isSlow }]);
    };
    return retryUntilDone(() => db.transaction().execute(write), retryOptions);
  }

  /** Adds missing jobs: a task without a job never ends, and the panel does not control the tables of pg-boss. */
  async function addLostJobs(): Promise<void> {
    try {
      await db.transaction().execute(async (trx) => {
        await queue.add(trx, createJobs(await listUnfinishedTasks(trx)));
      });
    } catch (error) {
      log.warn({ reason: String(error) }, 'Could not search for lost jobs.');
    }
  }

  await addLostJobs();
  const lostJobsTimer = setInterval(addLostJobs, ADD_LOST_JOBS_MS);
  const { total, perAddress: groupConcurrency } = siteCallLimits;
  const longCalls = { afterMs: longCallSeconds * 1000, max: Math.floor(total * LONG_CALL_SHARE) };
  const limit = createLimiter(total, longCalls);
  const localConcurrency = total * HANDLERS_PER_CALL + longCalls.max;
  const runJobs = { groupConcurrency, maxPriority: URGENT_PRIORITY - 1 };
  queue.work({ localConcurrency, limits: runJobs }, (job) => handle(job, limit));
  const singleActions = { minPriority: URGENT_PRIORITY };
  queue.work({ localConcurrency: MAX_SINGLE_ACTIONS, limits: singleActions }, (job) =>
    handle(job, (call) => call()),
  );

  return {
    /** Stops fetching jobs, waits up to `stopWithinMs` for calls in flight, then releases the rest. */
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(lostJobsTimer);
      const workEnded = queue.stopWorking();
      await Promise.race([workEnded, sleep(stopWithinMs, undefined, { ref: false })]);
      timeUp.abort();
      await siteClient.close();
      await workEnded;
    },
  };
}
