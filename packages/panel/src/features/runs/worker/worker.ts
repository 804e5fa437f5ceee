import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher } from '../../../platform/batcher.ts';
import type { Config } from '../../../platform/config.ts';
import { isPassingFault } from '../../../platform/database/connect.ts';
import type { Trx } from '../../../platform/database/tables.ts';
import { createLimiter, type Limiter } from '../../../platform/limiter.ts';
import { createSiteLookup } from '../../../platform/site-addresses.ts';
import { createSiteClient } from '../../../site-client/index.ts';
import { createProofService } from '../../licenses/index.ts';
import { jobsFor, type NextAttempt, nextJob, type TakenCallJob, URGENT } from '../jobs.ts';
import { internalFault } from '../outcome/task-outcome.ts';
import { lockRuns, unfinishedTasks } from '../runs.repository.ts';
import { createAddressLookup } from './addresses.ts';
import { callSite, PAUSES, type Pauses, type Step } from './call-site.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { type Candidate, type Decision, dispatch } from './dispatch.ts';
import {
  BY_WORKER,
  createResultWriter,
  type Ended,
  endUncalled,
  retryUntilSaved,
} from './save-results.ts';
import { beginNextAttempt, readPendingBefore, type Standing } from './tasks.repository.ts';

export type WorkerConfig = Pick<
  Config,
  'allowPrivateSites' | 'siteAddresses' | 'siteTimeouts' | 'siteCallLimits'
>;

/** Pauses between attempts, and how long a worker that stops waits for its calls. */
export type WorkerTiming = { pauses?: Pauses; stopWithinMs?: number };

const STOP_WITHIN_MS = 5000;
const MOST_DISPATCHED_AT_ONCE = 200;
/** Beside all others, for single actions: sites that hang can fill the rest for a quarter of an hour. */
const SINGLE_ACTIONS_AT_ONCE = 5;
/** As long as a job waits for a call to end, or a single action for its site. */
const LONGEST_HOLD_MS = 5000;
/** A handler that found no call free takes its next job after this. */
const IDLE_AFTER_NO_CALL_MS = 10_000;
/** A single action tries to dispatch again after this. */
const DISPATCH_RETRY_MS = 250;
/** A job whose dispatch took too long to be safe starts again after this. */
const LATE_DISPATCH_SECONDS = 1;
const ADD_LOST_JOBS_MS = 5 * 60_000;
/** While some handlers take a job or save a result, others make calls. */
const HANDLERS_PER_CALL = 2;

/** What is to be done after an attempt. */
type Next = ({ kind: 'end' } & Ended) | ({ kind: 'release' } & Release) | { kind: 'drop' };
type Release = NextAttempt & { standing: Standing; isRecovered?: true };
const RELEASE = { kind: 'release', standing: 'unchanged' } as const;
const RECOVERED = { ...RELEASE, isRecovered: true } as const;

/** Takes the jobs of all runs, and calls the sites. */
export async function startWorker(
  deps: WorkerDependencies,
  { allowPrivateSites, siteAddresses, siteTimeouts: timeouts, siteCallLimits }: WorkerConfig,
  { pauses = PAUSES, stopWithinMs = STOP_WITHIN_MS }: WorkerTiming,
) {
  const { db, queue, log } = deps;
  const [stopping, abort] = [new AbortController(), new AbortController()];
  const retrying = { log, signal: abort.signal };
  const results = createResultWriter({ ...deps, ...retrying });
  const addressOf = createAddressLookup(createSiteLookup(siteAddresses));
  const signer = deps.signingKeys;
  const siteClient = createSiteClient({ allowPrivateSites, siteAddresses, timeouts, signer });
  const proofSeconds = timeouts.actionSeconds;
  const { prove } = createProofService({ ...deps, siteClient, proofSeconds });
  const lastReportOf = (siteId: number) =>
    retryUntilSaved(() => deps.sites.lastReportOf(siteId), retrying);
  const pendingBefore = (taskId: number) =>
    retryUntilSaved(() => readPendingBefore(db, taskId), retrying);
  const reports = { lastReportOf, pendingBefore };
  const calling = { ...deps, ...retrying, ...reports, siteClient, prove, timeouts, pauses };
  const dispatches = createBatcher<Candidate, Decision>({
    run: (candidates) =>
      retryUntilSaved(() => dispatch(candidates, siteCallLimits, deps), retrying),
    // One task of a site: the next is decided on when this one's call is recorded.
    keyOf: ({ job }) => job.singletonKey,
    maxBatchSize: MOST_DISPATCHED_AT_ONCE,
    isFaultOfOne: (error) => !isPassingFault(error),
  });

  async function handle(job: TakenCallJob, limit: Limiter): Promise<void> {
    // pg-boss ends a job by its id alone. With another job, a process that had this one before and
    // was only slow can neither end the job nor save a result.
    if (job.retryCount > 0) return release(job, RECOVERED);
    const address = await addressOf(job.data.host, job.groupId);
    const next = await limit(() => attempt(job, address), LONGEST_HOLD_MS);
    if (next?.kind === 'end') return save(next);
    if (next?.kind === 'drop') return;
    await release(job, next ?? { standing: 'unchanged' });
    // All calls take long. As long as the job is in hand, no other worker and no single action has
    // its site, so this handler takes no other job for a while.
    if (!next)
      await sleep(IDLE_AFTER_NO_CALL_MS, undefined, { signal: stopping.signal }).catch(() => {});
  }

  async function save(ended: Ended): Promise<void> {
    try {
      await results.submit(ended);
    } catch (error) {
      if (isPassingFault(error)) throw error;
      log.error({ err: error, task: ended.task.id }, 'A result could not be saved.');
      await results.submit({ ...ended, result: internalFault() });
    }
  }

  /** Dispatches the job and calls its site, if that may be now. */
  async function attempt(job: TakenCallJob, address: string): Promise<Next> {
    if (stopping.signal.aborted) return RELEASE;
    const { decision, askedAt } = await dispatchSoon(job, address);
    if (decision.kind === 'wait') return { ...decision, ...RELEASE, address };
    if (decision.kind === 'recover') return RECOVERED;
    if (decision.kind !== 'call') return decision;
    // A process that stood still may have been replaced since. With the third of the lease that a
    // connection may take, the call is out within half of it, or never.
    if (performance.now() - askedAt > (job.heartbeatSeconds * 1000) / 6) {
      const standing = decision.reconciles ? 'unchanged' : 'not_called';
      return { ...RELEASE, standing, afterSeconds: LATE_DISPATCH_SECONDS };
    }
    const step = await callSite(decision, calling).catch((error): Step => {
      log.error({ err: error, task: decision.task.id }, 'A call ended with an unexpected error.');
      return { kind: 'end', result: internalFault() };
    });
    return step.kind === 'end' ? { ...step, task: decision.task } : { ...step, address };
  }

  /**
   * A single action waits for its site or address here: in the queue, a run over many sites of that
   * address would always be first.
   */
  async function dispatchSoon(job: TakenCallJob, address: string) {
    const until = performance.now() + (job.priority >= URGENT ? LONGEST_HOLD_MS : 0);
    for (;;) {
      const askedAt = performance.now();
      const decision = await dispatches.submit({ job, address });
      const isOver = decision.kind !== 'wait' || askedAt > until || stopping.signal.aborted;
      if (isOver) return { decision, askedAt };
      await sleep(DISPATCH_RETRY_MS);
    }
  }

  /** Leaves the task to its next attempt, which any worker may make. */
  function release(job: TakenCallJob, { standing, isRecovered, ...next }: Release): Promise<void> {
    const { runId } = job.data;
    const write = async (trx: Trx) => {
      const [run] = await lockRuns(trx, [runId]);
      const status = run && (await beginNextAttempt(trx, job.data, standing));
      if (!status) return;
      next.reconciles = status === 'unknown';
      // Until then a process that stood still after its dispatch may make the call.
      if (isRecovered && next.reconciles) next.afterSeconds = job.heartbeatSeconds / 2;
      if (run.cancelled_at && standing === 'not_called') {
        // The user who cancelled the run was told that this call was under way. It is not any more.
        await endUncalled(trx, run, { origin: BY_WORKER, reason: 'call_taken_back' }, deps);
      } else {
        await queue.replace(trx, job, nextJob(job, next));
      }
    };
    return retryUntilSaved(() => db.transaction().execute(write), retrying);
  }

  /** A task without a job would never end, and the tables of the queue are its own. */
  async function addLostJobs(): Promise<void> {
    try {
      await db.transaction().execute(async (trx) => {
        await queue.add(trx, jobsFor(await unfinishedTasks(trx)));
      });
    } catch (error) {
      log.warn({ reason: String(error) }, 'Lost jobs could not be looked for.');
    }
  }

  await addLostJobs();
  const lostJobs = setInterval(addLostJobs, ADD_LOST_JOBS_MS);
  const limit = createLimiter(siteCallLimits.total);
  const ofRuns = {
    localConcurrency: siteCallLimits.total * HANDLERS_PER_CALL,
    groupConcurrency: siteCallLimits.perAddress,
    maxPriority: URGENT - 1,
  };
  await queue.work(ofRuns, (job) => handle(job, limit));
  const single = { localConcurrency: SINGLE_ACTIONS_AT_ONCE, minPriority: URGENT };
  await queue.work(single, (job) => handle(job, (call) => call()));

  return {
    /** Takes no more work, lets calls end that are nearly done, and leaves the rest to others. */
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(lostJobs);
      const ended = queue.stopWorking();
      await Promise.race([ended, sleep(stopWithinMs, undefined, { ref: false })]);
      abort.abort();
      await siteClient.close();
      await ended;
    },
  };
}
