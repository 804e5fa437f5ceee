import { setTimeout as sleep } from 'node:timers/promises';
import { createAddressLookup } from '../../../platform/address-lookup.ts';
import { createBatcher } from '../../../platform/batcher.ts';
import type { Config } from '../../../platform/config.ts';
import type { Trx } from '../../../platform/database/handles.ts';
import { isTransientError } from '../../../platform/database/is-transient-error.ts';
import { createSiteLookup } from '../../../platform/dns-overrides.ts';
import { createLimiter, type Limiter } from '../../../platform/limiter.ts';
import { inSpan } from '../../../platform/telemetry/tracing.ts';
import { createSiteClient } from '../../../site-client/index.ts';
import { createProofService } from '../../licenses/index.ts';
import { announceFailures } from '../announce-failures.ts';
import { cancelQueuedTasks, WORKER_ORIGIN } from '../cancel-runs.ts';
import {
  createJobs,
  createNextJob,
  type FetchedCallJob,
  type NextAttempt,
  SLOW_SITE_PRIORITY,
  URGENT_PRIORITY,
} from '../jobs.ts';
import { internalErrorResult } from '../outcome/task-outcome.ts';
import { listUnfinishedTasks, lockRuns } from '../runs.repository.ts';
import { callSite, DELAYS, type Delays, LATE_CALL_DELAY_SECONDS, type Step } from './call-site.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { type Candidate, type Decision, dispatch } from './dispatch.ts';
import { createJobEnder } from './end-cancelled-jobs.ts';
import { createResultWriter, retryUntilDone, type TaskWithResult } from './save-results.ts';
import { beginNextAttempt, type CallState, readInventoryBefore } from './tasks.repository.ts';
import { createUpdateHealth } from './update-health.ts';

export type WorkerConfig = Pick<
  Config,
  'allowPrivateSites' | 'siteAddresses' | 'siteTimeouts' | 'siteCallLimits'
>;

export type WorkerTiming = {
  delays?: Delays;
  /** Time limit of a stopping worker for calls in flight. */
  stopWithinMs?: number;
  /** A site is slow if the last attempt of a task, with its observations, lasted this long. */
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
/** Extra calls for slow sites: runs that follow each other without a pause would otherwise postpone them forever. */
const MAX_SLOW_SITES = 2;
const STOP_WITHIN_MS = 5000;
const MAX_DISPATCH_BATCH = 200;
/** Extra calls for single actions: hanging sites can block all other calls for 15 minutes. */
const MAX_SINGLE_ACTIONS = 5;
/** How long a job waits at the concurrency limit, and a single action until its site and address may be called. */
const MAX_WAIT_MS = 5000;
/** Delay before a handler fetches its next job if the concurrency limit was reached during the whole wait. */
const AT_LIMIT_DELAY_MS = 10_000;
/** Delay before a single action retries its dispatch. */
const DISPATCH_RETRY_MS = 250;
const ADD_LOST_JOBS_MS = 5 * 60_000;
/** More handlers than calls: some fetch a job or save a result while others call sites. */
const HANDLERS_PER_CALL = 2;

/** The result of an attempt: end or release the task, or drop its job. */
type AttemptResult =
  | ({ kind: 'end' } & TaskWithResult)
  | ({ kind: 'release' } & Release)
  | { kind: 'drop'; hasEnded: boolean };
type Release = NextAttempt & {
  callState: CallState;
  isRecovered?: true;
  isSlow?: boolean | undefined;
};
const RELEASE = { kind: 'release', callState: 'unchanged' } as const;
const RECOVERED = { ...RELEASE, isRecovered: true } as const;

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
  const calls = { siteClient, prove, timeouts, delays, updateHealth };
  const callDeps = { ...deps, ...retryOptions, ...reports, ...calls };
  const dispatches = createBatcher<Candidate, Decision>({
    run: (candidates) =>
      retryUntilDone(() => dispatch(candidates, siteCallLimits, deps), retryOptions),
    // One task per site and batch: the next task of the site must see the recorded call of this one.
    keyOf: ({ job }) => job.singletonKey,
    maxBatchSize: MAX_DISPATCH_BATCH,
    isItemError: (error) => !isTransientError(error),
  });

  async function handle(job: FetchedCallJob, limit: Limiter): Promise<void> {
    // Fencing: pg-boss ends a job by its id alone. The release creates a job with another id and the next attempt
    // number. If the previous worker is only slow, it can then neither end the job nor save a result.
    if (job.retryCount > 0) return release(job, RECOVERED);
    const address = await addressOf(job.data.host, job.groupId);
    const result = await limit(() => attempt(job, address), MAX_WAIT_MS);
    if (result?.kind === 'end') return save(result);
    if (result?.kind === 'drop') {
      if (result.hasEnded) await retryUntilDone(() => endJobs(job.data.runId), retryOptions);
      return;
    }
    await release(job, result ?? { callState: 'unchanged' });
    // The concurrency limit was reached during the whole wait. A fetched job blocks its site for other workers
    // and single actions, so this handler fetches no other job for a while.
    if (!result)
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

  /** Dispatches the job and calls its site if the limits allow it now. */
  async function attempt(job: FetchedCallJob, address: string): Promise<AttemptResult> {
    if (stopping.signal.aborted) return RELEASE;
    const { decision, startedAt } = await dispatchWithRetries(job, address);
    if (decision.kind === 'wait') return { ...decision, ...RELEASE, address };
    if (decision.kind === 'recover') return RECOVERED;
    if (decision.kind !== 'call') return decision;
    // If this process was suspended, another worker may have taken over. A sixth of the lease here
    // plus a third for the connection: the worker sends the request within half of the lease, or never.
    if (performance.now() - startedAt > (job.heartbeatSeconds * 1000) / 6) {
      const callState = decision.reconciles ? 'unchanged' : 'not_called';
      return { ...RELEASE, callState, afterSeconds: LATE_CALL_DELAY_SECONDS };
    }
    const call = { ...decision, leaseSeconds: job.heartbeatSeconds };
    const calledAt = performance.now();
    const step = await callInSpan(call).catch((error): Step => {
      log.error({ err: error, task: decision.task.id }, 'Unexpected error while running task.');
      return { kind: 'end', result: internalErrorResult() };
    });
    // The whole attempt, with the observations of the site: all of it uses up one of the concurrent calls.
    const lastedLong = performance.now() - calledAt >= slowCallSeconds * 1000;
    // A short call shows that the site is fast only if it did the whole work of the task.
    const isSlow = lastedLong || (step.kind === 'end' && !decision.reconciles ? false : undefined);
    return step.kind === 'end'
      ? { ...step, task: decision.task, isSlow }
      : { ...step, address, isSlow };
  }

  /** Each attempt is a span in the trace of the request that created the run, perhaps in another process. */
  function callInSpan(call: Parameters<typeof callSite>[0]): Promise<Step> {
    const { id, run_id, site_id, attempt, kind, traceparent: parent } = call.task;
    const ids = { 'steward.run_id': run_id, 'steward.task_id': id, 'steward.site_id': site_id };
    const attributes = {
      ...ids,
      'steward.attempt': attempt,
      'steward.reconciles': call.reconciles,
    };
    return inSpan(`task ${kind}`, { kind: 'consumer', parent, attributes }, async (span) => {
      const step = await callSite(call, callDeps);
      span.setAttributes({
        'steward.result': step.kind === 'end' ? step.result.status : 'release',
      });
      return step;
    });
  }

  /**
   * A single action waits here for its site or address. If it went back to the queue, a run over many sites
   * of that address would always go first.
   */
  async function dispatchWithRetries(job: FetchedCallJob, address: string) {
    const deadline = performance.now() + (job.priority >= URGENT_PRIORITY ? MAX_WAIT_MS : 0);
    for (;;) {
      const startedAt = performance.now();
      const decision = await dispatches.submit({ job, address });
      const isFinal = decision.kind !== 'wait' || startedAt > deadline || stopping.signal.aborted;
      if (isFinal) return { decision, startedAt };
      await sleep(DISPATCH_RETRY_MS);
    }
  }

  /** Releases the task for its next attempt, by any worker. */
  function release(
    job: FetchedCallJob,
    { callState, isRecovered, isSlow, ...next }: Release,
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
  const runJobs = { localConcurrency, groupConcurrency, maxPriority: URGENT_PRIORITY - 1 };
  await queue.work(runJobs, (job) => handle(job, limit));
  const slowSites = { localConcurrency: MAX_SLOW_SITES, maxPriority: SLOW_SITE_PRIORITY };
  await queue.work({ ...slowSites, groupConcurrency }, (job) => handle(job, (call) => call()));
  const singleActions = { localConcurrency: MAX_SINGLE_ACTIONS, minPriority: URGENT_PRIORITY };
  await queue.work(singleActions, (job) => handle(job, (call) => call()));

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
