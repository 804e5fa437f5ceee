import { evaluateLicense } from '@steward/contract';
import { hasExpiredKey } from '../../licenses/index.ts';
import { hasNoNextWindow, secondsUntilWindow } from '../call-window.ts';
import type { FetchedCallJob, RetryCounts } from '../jobs.ts';
import {
  cancelledResult,
  refusedResult,
  siteNotActiveResult,
  type TaskResult,
} from '../outcome/task-outcome.ts';
import { lockRuns } from '../runs.repository.ts';
import { applyHolds } from './apply-holds.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { findLostAccess } from './find-lost-access.ts';
import { findMissingCapability } from './required-capabilities.ts';
import {
  lockDispatch,
  type OpenTask,
  readOpenTasks,
  recordDispatches,
} from './tasks.repository.ts';

/** A job waits longer for its site, which another task may block for minutes, than for its address. */
const SITE_WAIT_SECONDS = 10;
const ADDRESS_WAIT_SECONDS = 1;

/** A fetched job and the current IP address of its site. */
export type Candidate = { job: FetchedCallJob; address: string };

export type Decision =
  /** Call the site, or reconcile an earlier call. */
  | ({ kind: 'call' } & DispatchedCall)
  /** The window is closed, another task blocks the site, or the address is at its concurrency limit. */
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
  address: string;
  tries: RetryCounts;
  /** Seconds since the call that may have reached the site, and since its response was lost. */
  sinceCall: number;
  sinceLoss: number;
};

/**
 * Decides for each job whether to call its site now, and records the dispatched calls. This enforces the
 * concurrency limits: pg-boss counts without a lock, so its own limits are only approximate.
 */
export function dispatch(
  candidates: Candidate[],
  { perAddress }: { perAddress: number },
  { db, clock, sites }: Pick<WorkerDependencies, 'db' | 'clock' | 'sites'>,
): Promise<Decision[]> {
  return db.transaction().execute(async (trx) => {
    await lockDispatch(trx);
    const runIds = candidates.map(({ job }) => job.data.runId);
    await lockRuns(trx, runIds);
    const wanted = candidates.map(({ job, address }) => ({ taskId: job.data.taskId, address }));
    const tasks = new Map((await readOpenTasks(trx, wanted)).map((task) => [task.id, task]));
    const now = clock.now();
    const holds = await applyHolds(trx, [...tasks.values()], now);
    const lostAccess = await findLostAccess(trx, [...tasks.values()], now);
    const dispatchedTo = new Map<string, number>();
    const decisions = candidates.map((candidate): Decision => {
      const { job, address } = candidate;
      const dispatchedBefore = dispatchedTo.get(address) ?? 0;
      const task = tasks.get(job.data.taskId);
      const room = perAddress - dispatchedBefore;
      const { taskId } = job.data;
      const refusal = lostAccess.get(taskId) ?? holds.refusals.get(taskId) ?? null;
      const decision = decide(candidate, task, { room, now, refusal });
      if (decision.kind === 'call') dispatchedTo.set(address, dispatchedBefore + 1);
      return decision;
    });
    const calls = decisions.filter((decision) => decision.kind === 'call');
    const decided = decisions.filter(({ kind }) => kind === 'call' || kind === 'end');
    await holds.store(decided.flatMap((decision) => ('task' in decision ? decision.task : [])));
    await recordDispatches(trx, calls, now);
    const movedSites = calls
      .filter(({ task, address }) => task.address !== address)
      .map(({ task, address }) => ({ siteId: task.site_id, address }));
    await sites.storeIpAddresses(trx, movedSites);
    return decisions;
  });
}

type DecisionFacts = {
  /** The limit of the address minus the calls that this batch has already dispatched. */
  room: number;
  now: Date;
  /** Since the run was created, its user lost access to the site, or all versions of the task were held back. */
  refusal?: TaskResult | null;
};

export function decide(
  { job, address }: Candidate,
  task: OpenTask | undefined,
  { room, now, refusal = null }: DecisionFacts,
): Decision {
  if (!task) return { kind: 'drop', hasEnded: true };
  if (task.attempt !== job.data.attempt) return { kind: 'drop', hasEnded: false };
  if (task.is_dispatched) return { kind: 'recover' };
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
  const isBlocked = task.blocking_task_id !== null && task.blocking_task_id !== task.id;
  if (isBlocked) return { kind: 'wait', afterSeconds: SITE_WAIT_SECONDS };
  if (task.calls_at_address >= room) return { kind: 'wait', afterSeconds: ADDRESS_WAIT_SECONDS };
  const { since_call: sinceCall, since_loss: sinceLoss } = task;
  const { tries = {} } = job.data;
  const call = { kind: 'call' as const, address, tries, sinceCall, sinceLoss };
  return reconciles ? { ...call, task, reconciles } : { ...call, task, reconciles };
}

const isLost = (task: OpenTask): task is LostTask =>
  task.dispatched_at !== null && task.kind !== 'sync';

/** The panel sends a key only to a site with an active activation, and only while the license is valid. */
function mayCall(task: OpenTask, now: Date): boolean {
  const { activation_status, license_status, expires_at } = task;
  if (activation_status !== 'active' || license_status === null) return false;
  if (hasExpiredKey(task, now)) return false;
  const facts = { storedStatus: license_status, expiresAt: expires_at, activeSites: 1 };
  return evaluateLicense(facts, now).valid;
}
