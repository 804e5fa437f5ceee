import type { SiteObservation } from '@steward/contract';
import { storeBefore } from '../../health/index.ts';
import { hasNoNextWindow, secondsUntilWindow } from '../call-window.ts';
import type { FetchedCallJob, RetryCounts } from '../jobs.ts';
import {
  cancelledResult,
  refusedResult,
  siteNotActiveResult,
  type TaskResult,
} from '../outcome/task-outcome.ts';
import { mayCall } from '../plan/find-obstacle.ts';
import { lockRuns } from '../runs.repository.ts';
import { applyHolds } from './apply-holds.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { findLostAccess } from './find-lost-access.ts';
import { findMissingCapability } from './required-capabilities.ts';
import { type OpenTask, readOpenTasks, recordDispatches } from './tasks.repository.ts';

/** A fetched job and the current IP address of its site. */
export type Candidate = { job: FetchedCallJob; address: string };

export type Decision =
  /** Call the site, or reconcile an earlier call. */
  | ({ kind: 'call' } & DispatchedCall)
  /** The window is closed, or the limits leave no room for the call. */
  | { kind: 'wait'; afterSeconds: number }
  | { kind: 'end'; task: OpenTask; result: TaskResult }
  /** This attempt was already dispatched and must not call again: the next attempt recovers the task. */
  | { kind: 'recover' }
  /** The task has ended, or has a newer attempt with its own job. */
  | { kind: 'drop'; hasEnded: boolean };

/** A task whose call may have changed its site. A sync changes nothing, so a lost one is repeated, not reconciled. */
type LostTask = OpenTask & { kind: Exclude<OpenTask['kind'], 'sync'> };

/** `reconciles`: whether the call is a sync that reconciles an earlier call. */
export type DispatchedCall = (
  | { task: OpenTask; reconciles: false }
  | { task: LostTask; reconciles: true }
) & {
  tries: RetryCounts;
  /** Seconds since the call that may have reached the site, and since its response was lost. */
  sinceCall: number;
  sinceLoss: number;
};

/** An admitted task, and the observation of its site if the panel compares the site with it after the call. */
export type AdmittedCandidate = Candidate & { before: SiteObservation | null };

/**
 * Decides for each admitted task whether to call its site now, and records the calls. The observation before a call can take
 * a minute: what has changed meanwhile, such as a cancel, a hold or a closed window, still stops the call.
 */
export function dispatch(
  candidates: AdmittedCandidate[],
  { db, clock }: Pick<WorkerDependencies, 'db' | 'clock'>,
): Promise<Decision[]> {
  return db.transaction().execute(async (trx) => {
    await lockRuns(
      trx,
      candidates.map(({ job }) => job.data.runId),
    );
    const open = await readOpenTasks(
      trx,
      candidates.map(({ job }) => job.data.taskId),
    );
    const tasks = new Map(open.map((task) => [task.id, task]));
    const now = clock.now();
    const holds = await applyHolds(trx, open, now);
    const lostAccess = await findLostAccess(trx, open, now);
    const decisions = candidates.map(({ job }) => {
      const { taskId } = job.data;
      const refusal = lostAccess.get(taskId) ?? holds.refusals.get(taskId) ?? null;
      return decide(job, tasks.get(taskId), { now, refusal });
    });
    const decided = decisions.filter(({ kind }) => kind === 'call' || kind === 'end');
    await holds.store(decided.flatMap((decision) => ('task' in decision ? decision.task : [])));
    const calls = candidates.flatMap(({ before }, index) => {
      const decision = decisions[index];
      return decision?.kind === 'call' ? [{ ...decision, before }] : [];
    });
    await recordDispatches(trx, calls, now);
    await storeBefore(
      trx,
      calls.flatMap(({ task, before }) => (before ? [{ task, before }] : [])),
      now,
    );
    return decisions;
  });
}

type DecisionFacts = {
  now: Date;
  /** Since the run was created, its user lost access to the site, or all versions of the task were held back. */
  refusal?: TaskResult | null;
};

export function decide(
  { data }: Pick<FetchedCallJob, 'data'>,
  task: OpenTask | undefined,
  { now, refusal = null }: DecisionFacts,
): Decision {
  if (!task) return { kind: 'drop', hasEnded: true };
  if (task.attempt !== data.attempt) return { kind: 'drop', hasEnded: false };
  if (task.status === 'running') return { kind: 'recover' };
  const reconciles = isLost(task);
  if (!mayCall(task, now)) {
    return { kind: 'end', task, result: siteNotActiveResult({ hasLostCall: reconciles }) };
  }
  if (refusal) return { kind: 'end', task, result: refusal };
  // Checked only now: since the run was created, an older plugin may have enrolled the site again.
  const missing = reconciles ? null : findMissingCapability(task);
  if (missing) return { kind: 'end', task, result: refusedResult(missing) };
  if (!reconciles && hasNoNextWindow(task, now)) {
    return { kind: 'end', task, result: cancelledResult() };
  }
  const windowWait = reconciles ? 0 : secondsUntilWindow(task, now);
  if (windowWait > 0) return { kind: 'wait', afterSeconds: windowWait };
  const { since_call: sinceCall, since_loss: sinceLoss } = task;
  const call = { kind: 'call' as const, tries: data.tries ?? {}, sinceCall, sinceLoss };
  return reconciles ? { ...call, task, reconciles } : { ...call, task, reconciles };
}

const isLost = (task: OpenTask): task is LostTask =>
  task.dispatched_at !== null && task.kind !== 'sync';
