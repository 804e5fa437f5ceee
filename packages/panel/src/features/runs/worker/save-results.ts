import { setTimeout as sleep } from 'node:timers/promises';
import { type Batcher, createBatcher } from '../../../platform/batcher.ts';
import { isPassingFault } from '../../../platform/database/connect.ts';
import type { Trx } from '../../../platform/database/tables.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Origin } from '../../../platform/origin.ts';
import { type CallQueue, jobId } from '../jobs.ts';
import { neverCalled, type TaskResult, taskAudit } from '../outcome/task-outcome.ts';
import { type LockedRun, lockRuns, unfinishedTasks } from '../runs.repository.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { endTasks, type OpenTask } from './tasks.repository.ts';

export type Ended = { task: OpenTask; result: TaskResult };

type Retrying = {
  log: Logger;
  /** Aborted once the process is to end: then nothing is tried again. */
  signal: AbortSignal;
};
type Dependencies = Retrying & Pick<WorkerDependencies, 'db' | 'clock' | 'audit' | 'sites'>;

const MOST_AT_ONCE = 200;
const TRY_AGAIN_MS = 500;
/** A transaction locks its runs, and dispatches wait for it. */
const GATHER_MS = 50;

/** Saves results, those that wait together in one transaction, and loses none to an outage. */
export function createResultWriter(deps: Dependencies): Batcher<Ended, undefined> {
  const save = (items: Ended[]) =>
    deps.db.transaction().execute((trx) => saveResults(trx, items, deps));
  return createBatcher<Ended, undefined>({
    run: (items) => retryUntilSaved(() => save(items), deps),
    keyOf: ({ task }) => String(task.id),
    maxBatchSize: MOST_AT_ONCE,
    gatherMs: GATHER_MS,
    isFaultOfOne: (error) => !isPassingFault(error),
  });
}

/** Tries again for as long as the database is away. */
export async function retryUntilSaved<T>(
  write: () => Promise<T>,
  { log, signal }: Retrying,
): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isPassingFault(error) || signal.aborted) throw error;
      log.warn({ reason: String(error) }, 'The database did not take it yet.');
      await sleep(TRY_AGAIN_MS);
    }
  }
}

/** Result, audit record and state of the site: all or nothing. */
async function saveResults(trx: Trx, items: Ended[], deps: Dependencies): Promise<undefined[]> {
  const runIds = items.map(({ task }) => task.run_id);
  await lockRuns(trx, runIds);
  const results = items.map(({ task: { id, attempt }, result }) => ({ id, attempt, ...result }));
  const ended = await endTasks(trx, results, deps.clock.now());
  const saved = items.filter(({ task }) => ended.has(task.id));
  for (const ofRun of Map.groupBy(saved, ({ task }) => task.run_id).values()) {
    const records = ofRun.map(({ task, result }) => taskAudit(task, result));
    await deps.audit.record(trx, ofRun[0]?.task.origin as Origin, records);
  }
  const calls = saved.map(({ task, result }) => ({
    siteId: task.site_id,
    runId: task.run_id,
    kind: task.kind,
    action: task.request.action,
    ...result,
  }));
  await deps.sites.noteCalls(trx, calls);
  return items.map(() => undefined);
}

/** Why the panel itself ends what it has not begun. */
export type WithdrawalReason = 'panel_stopping' | 'not_begun_in_time';

/**
 * `call_taken_back`: the run was cancelled while a call was dispatched that was never sent.
 * `user_disabled`: the user whose run it is was disabled.
 */
type By = { origin: Origin; reason?: WithdrawalReason | 'call_taken_back' | 'user_disabled' };

type ToCancel = Pick<Dependencies, 'clock' | 'audit'> & { queue: Pick<CallQueue, 'cancel'> };

/** No user asked for it at that moment. */
export const BY_WORKER: Origin = { actor: 'system', via: 'worker' };

/**
 * Ends what no site was called for, with a record of the run and one of each of those sites; gives
 * how many. The run must be locked.
 */
export async function endUncalled(
  trx: Trx,
  { id, request }: LockedRun,
  { origin, reason }: By,
  { clock, audit, queue }: ToCancel,
): Promise<number> {
  const tasks = (await unfinishedTasks(trx, id)).filter(({ called_at }) => called_at === null);
  // A user's wish to cancel is recorded in any case; without one, there is nothing to record.
  if (tasks.length === 0 && reason) return 0;
  const result = neverCalled();
  const results = tasks.map((task) => ({ id: task.id, attempt: task.attempt, ...result }));
  await endTasks(trx, results, clock.now());
  const jobIds = tasks.map((task) => jobId(task.id, task.attempt));
  await queue.cancel(trx, jobIds);
  const context = { cancelled: tasks.length, ...(reason && { reason }) };
  const cancelled = { action: 'cancel', entityType: 'run', entityId: id, context };
  const ofSites = tasks.map((task) => taskAudit({ ...task, request }, result));
  await audit.record(trx, origin, [cancelled, ...ofSites]);
  return tasks.length;
}
