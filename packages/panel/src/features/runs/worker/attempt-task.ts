import { setTimeout as sleep } from 'node:timers/promises';
import type { SiteObservation } from '@steward/contract';
import { createBatcher } from '../../../platform/batcher.ts';
import type { Config } from '../../../platform/config.ts';
import { isTransientError } from '../../../platform/database/is-transient-error.ts';
import type { Limiter } from '../../../platform/limiter.ts';
import { inSpan } from '../../../platform/telemetry/tracing.ts';
import { type NextAttempt, URGENT_PRIORITY } from '../jobs.ts';
import { internalErrorResult } from '../outcome/task-outcome.ts';
import { type Admission, admit } from './admission.ts';
import {
  type CallDependencies,
  callSite,
  LATE_CALL_DELAY_SECONDS,
  type Step,
  targetOf,
} from './call-site.ts';
import type { WorkerDependencies } from './dependencies.ts';
import {
  type AdmittedCandidate,
  type Candidate,
  type Decision,
  type DispatchedCall,
  dispatch,
} from './dispatch.ts';
import { retryUntilDone, type TaskWithResult } from './save-results.ts';
import type { CallState, OpenTask } from './tasks.repository.ts';
import type { UpdateHealth } from './update-health.ts';

const MAX_BATCH = 200;
/**
 * How long an admitted task waits for its turn, and a single action for its site and address. The observation of the site
 * must not be older than a minute when the call is sent.
 */
const MAX_WAIT_MS = 5000;
/** Only a dispatch must not wait: it uses up a call of the worker. */
const ADMISSION_GATHER_MS = 20;
/** Delay before a single action asks for its admission again. */
const ADMISSION_RETRY_MS = 250;

/** The result of an attempt: end or release the task, or drop its job. */
type AttemptResult =
  | ({ kind: 'end' } & TaskWithResult)
  | ({ kind: 'release' } & Release)
  | { kind: 'drop'; hasEnded: boolean };
export type Release = NextAttempt & {
  callState: CallState;
  isRecovered?: true;
  isSlow?: boolean | undefined;
  /** The concurrency limit was reached during the whole wait. */
  isAtLimit?: true;
};
const RELEASE = { kind: 'release', callState: 'unchanged' } as const;
export const RECOVERED = { ...RELEASE, isRecovered: true } as const;

type Dependencies = WorkerDependencies &
  CallDependencies & {
    updateHealth: UpdateHealth;
    siteCallLimits: Config['siteCallLimits'];
    slowCallSeconds: number;
    stopping: AbortSignal;
  };

/**
 * Makes one attempt at a task: admits it to its site, observes the site, waits for its turn, dispatches and calls, and
 * observes the site again. Only the call uses up one of the concurrent calls of the worker.
 */
export function createAttempts(deps: Dependencies) {
  const { log, stopping, updateHealth, siteCallLimits } = deps;
  const batch = <Item extends Candidate, Result>(
    run: (items: Item[]) => Promise<Result[]>,
    { gatherMs = 0 } = {},
  ) =>
    createBatcher<Item, Result>({
      gatherMs,
      run: (items) => retryUntilDone(() => run(items), deps),
      // One task per site and batch: the next task of the site must see the recorded call of this one.
      keyOf: ({ job }) => job.singletonKey,
      maxBatchSize: MAX_BATCH,
      isItemError: (error) => !isTransientError(error),
    });
  const admissions = batch<Candidate, Admission>((items) => admit(items, siteCallLimits, deps), {
    gatherMs: ADMISSION_GATHER_MS,
  });
  const dispatches = batch<AdmittedCandidate, Decision>((items) => dispatch(items, deps));

  return async (candidate: Candidate, limit: Limiter): Promise<AttemptResult> => {
    if (stopping.aborted) return RELEASE;
    const admission = await admitWithRetries(candidate);
    if (admission.kind !== 'admitted') return toResult(admission, candidate);
    const before = await observeBefore(candidate, admission.task).catch(toError);
    if (before instanceof Error) return endWithError(admission.task, before);
    const step = await limit(() => dispatchAndCall({ ...candidate, before }), MAX_WAIT_MS);
    if (!step) return { ...RELEASE, isAtLimit: true };
    if (step.kind !== 'end') return step;
    return checkAfter(step, before).catch((error) => endWithError(step.task, error));
  };

  async function observeBefore(
    { job }: Candidate,
    task: OpenTask,
  ): Promise<SiteObservation | null> {
    return updateHealth.observeBefore(task, targetOf(task, deps), job.data);
  }

  async function checkAfter(
    ended: { kind: 'end' } & TaskWithResult,
    before: SiteObservation | null,
  ): Promise<AttemptResult> {
    const { task, result } = ended;
    const checked = await updateHealth.checkAfter(task, targetOf(task, deps), { before, result });
    return { ...ended, result: checked };
  }

  function endWithError(task: OpenTask, err: unknown): { kind: 'end' } & TaskWithResult {
    log.error({ err, task: task.id }, 'Unexpected error while running task.');
    return { kind: 'end', task, result: internalErrorResult() };
  }

  async function dispatchAndCall(candidate: AdmittedCandidate): Promise<AttemptResult> {
    if (stopping.aborted) return RELEASE;
    const { job, address } = candidate;
    const dispatchedAt = performance.now();
    const decision = await dispatches.submit(candidate);
    if (decision.kind !== 'call') return toResult(decision, candidate);
    // If this process was suspended, another worker may have taken over. A sixth of the lease here
    // plus a third for the connection: the worker sends the request within half of the lease, or never.
    if (performance.now() - dispatchedAt > (job.heartbeatSeconds * 1000) / 6) {
      const callState = decision.reconciles ? 'unchanged' : 'not_called';
      return { ...RELEASE, callState, afterSeconds: LATE_CALL_DELAY_SECONDS };
    }
    const calledAt = performance.now();
    const step = await callInSpan(decision).catch((error) => endWithError(decision.task, error));
    const lastedLong = performance.now() - calledAt >= deps.slowCallSeconds * 1000;
    // A short call shows that the site is fast only if it did the whole work of the task.
    const isSlow = lastedLong || (step.kind === 'end' && !decision.reconciles ? false : undefined);
    return step.kind === 'end'
      ? { ...step, task: decision.task, isSlow }
      : { ...step, address, isSlow };
  }

  /** Each attempt is a span in the trace of the request that created the run, perhaps in another process. */
  function callInSpan(call: DispatchedCall): Promise<Step> {
    const { id, run_id, site_id, attempt, kind, traceparent: parent } = call.task;
    const ids = { 'steward.run_id': run_id, 'steward.task_id': id, 'steward.site_id': site_id };
    const attributes = {
      ...ids,
      'steward.attempt': attempt,
      'steward.reconciles': call.reconciles,
    };
    return inSpan(`task ${kind}`, { kind: 'consumer', parent, attributes }, async (span) => {
      const step = await callSite(call, deps);
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
  async function admitWithRetries(candidate: Candidate): Promise<Admission> {
    const isUrgent = candidate.job.priority >= URGENT_PRIORITY;
    const deadline = performance.now() + (isUrgent ? MAX_WAIT_MS : 0);
    for (;;) {
      const startedAt = performance.now();
      const admission = await admissions.submit(candidate);
      const isFinal = admission.kind !== 'wait' || startedAt > deadline || stopping.aborted;
      if (isFinal) return admission;
      await sleep(ADMISSION_RETRY_MS);
    }
  }
}

function toResult(
  decision: Exclude<Decision, { kind: 'call' }>,
  { address }: Candidate,
): AttemptResult {
  if (decision.kind === 'recover') return RECOVERED;
  if (decision.kind === 'wait') return { ...RELEASE, afterSeconds: decision.afterSeconds, address };
  return decision;
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
