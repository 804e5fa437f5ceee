import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditOrigin } from '../../../platform/audit-origin.ts';
import { type Batcher, createBatcher } from '../../../platform/batcher.ts';
import { isTransientError } from '../../../platform/database/is-transient-error.ts';
import type { Trx } from '../../../platform/database/tables.ts';
import type { Logger } from '../../../platform/logger.ts';
import { getMeter } from '../../../platform/telemetry/meter.ts';
import { postponePings, storeAfter } from '../../health/index.ts';
import { type CallQueue, jobId } from '../jobs.ts';
import { cancelledResult, type TaskResult, toAuditEntry } from '../outcome/task-outcome.ts';
import {
  isFinished,
  type LockedRun,
  listUnfinishedTasks,
  lockRunsWithRollouts,
  markCancelled,
} from '../runs.repository.ts';
import { announceFailures } from './announce-failures.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { readPluginVersions } from './plugin-versions.repository.ts';
import { endTasks, type OpenTask } from './tasks.repository.ts';

export type TaskWithResult = {
  task: OpenTask;
  result: TaskResult;
  /** Whether the site is slow. Absent: unknown. */
  isSlow?: boolean | undefined;
};

type RetryOptions = {
  log: Logger;
  /** Aborted when the process stops; an aborted signal ends the retries. */
  signal: AbortSignal;
};
type Dependencies = RetryOptions &
  Pick<
    WorkerDependencies,
    'db' | 'clock' | 'audit' | 'sites' | 'queue' | 'guardRollouts' | 'notificationOutbox'
  >;

const MAX_BATCH_SIZE = 200;
const RETRY_MS = 500;
/** No pings for this time after a call: the site may still restart or fill its caches. */
const QUIET_MS = 2 * 60_000;
/** Waits for larger batches: each transaction locks its runs, and dispatches wait for that lock. */
const BATCH_DELAY_MS = 50;

/** Saves results in batches, one transaction each. Retries while the database is down. */
export function createResultWriter(deps: Dependencies): Batcher<TaskWithResult, undefined> {
  const save = async (items: TaskWithResult[]) => {
    const saved = await deps.db.transaction().execute((trx) => saveResults(trx, items, deps));
    for (const { task, result } of saved) getMeter()?.countEndedTask(task.kind, result.status);
    return items.map(() => undefined);
  };
  return createBatcher<TaskWithResult, undefined>({
    run: (items) => retryUntilDone(() => save(items), deps),
    keyOf: ({ task }) => String(task.id),
    maxBatchSize: MAX_BATCH_SIZE,
    gatherMs: BATCH_DELAY_MS,
    isItemError: (error) => !isTransientError(error),
  });
}

/** Repeats `run` after transient database errors, until it succeeds or the process stops. */
export async function retryUntilDone<T>(
  run: () => Promise<T>,
  { log, signal }: RetryOptions,
): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isTransientError(error) || signal.aborted) throw error;
      log.warn({ reason: String(error) }, 'Database not available; retrying.');
      await sleep(RETRY_MS);
    }
  }
}

/** Saves result, audit record and site state in one transaction. Returns the tasks that were still open. */
async function saveResults(
  trx: Trx,
  items: TaskWithResult[],
  deps: Dependencies,
): Promise<TaskWithResult[]> {
  const runIds = items.map(({ task }) => task.run_id);
  const runs = await lockRunsWithRollouts(trx, runIds);
  const results = items.map(({ task: { id, attempt }, result: { health, ...result } }) => ({
    id,
    attempt,
    ...result,
  }));
  const ended = await endTasks(trx, results, deps.clock.now());
  const saved = items.filter(({ task }) => ended.has(task.id));
  const versions = await readPluginVersions(
    trx,
    saved.map(({ task }) => task).filter(isPluginAction),
  );
  for (const itemsOfRun of Map.groupBy(saved, ({ task }) => task.run_id).values()) {
    const records = itemsOfRun.map(({ task, result }) =>
      toAuditEntry({ ...task, versions: versions.get(task.id) }, result),
    );
    await deps.audit.record(trx, itemsOfRun[0]?.task.origin as AuditOrigin, records);
  }
  const calls = saved.map(({ task, result }) => ({
    siteId: task.site_id,
    runId: task.run_id,
    kind: task.kind,
    action: task.request.action,
    ...result,
  }));
  const siteIds = saved.map(({ task }) => task.site_id);
  // Before the sites are locked: pings lock in this order too.
  await postponePings(trx, siteIds, new Date(deps.clock.now().getTime() + QUIET_MS));
  await deps.sites.recordCalls(trx, calls);
  const timed = saved.flatMap(({ task, isSlow }) =>
    isSlow === undefined ? [] : [{ siteId: task.site_id, isSlow }],
  );
  await deps.sites.storeSlowness(trx, timed);
  const observed = saved.flatMap(({ task, result }) =>
    result.health ? [{ task, ...result.health }] : [],
  );
  await storeAfter(trx, observed, deps.clock.now());
  const ofRollouts = runs.filter(({ rollout_id }) => rollout_id !== null);
  if (ofRollouts.length > 0) {
    const cancellation = { origin: WORKER_ORIGIN, reason: 'rollout_halted' } as const;
    const taskIds = [...ended];
    await deps.guardRollouts(trx, { runs: ofRollouts, taskIds }, async (runId) => {
      const run = runs.find(({ id }) => id === runId);
      if (!run || (await isFinished(trx, runId))) return;
      // Otherwise a dispatched task whose call is not sent would return to the queue.
      await markCancelled(trx, runId, deps.clock.now());
      await cancelUncalledTasks(trx, run, cancellation, deps);
    });
  }
  // Also the runs that a halt has ended.
  const lockedIds = runs.map(({ id }) => id);
  await announceFailures(trx, deps.notificationOutbox, lockedIds);
  return saved;
}

const isPluginAction = ({ kind }: OpenTask) => kind === 'plugin_action';

/** Why the panel cancels a plugin action that has not started: its client gets an error. */
export type WithdrawalReason = 'panel_stopping' | 'not_begun_in_time';

/**
 * `call_taken_back`: the run was cancelled after a call was dispatched, and the call was never sent.
 * `user_disabled`: the user who created the run was disabled. `rollout_halted`: the rollout of the run halted.
 * `schedule_stopped`: the schedule that started the run was disabled or deleted.
 */
type Cancellation = {
  origin: AuditOrigin;
  reason?:
    | WithdrawalReason
    | 'call_taken_back'
    | 'user_disabled'
    | 'rollout_halted'
    | 'schedule_stopped';
};

type CancelDependencies = Pick<Dependencies, 'clock' | 'audit'> & {
  queue: Pick<CallQueue, 'cancel'>;
};

/** For the audit records of changes that the worker makes without a user request. */
export const WORKER_ORIGIN: AuditOrigin = { actor: 'system', via: 'worker' };

/**
 * Cancels the tasks whose site was not called, with one audit record for the run and one per site.
 * Returns the number of cancelled tasks. The caller must lock the run first.
 */
export async function cancelUncalledTasks(
  trx: Trx,
  { id, request }: LockedRun,
  { origin, reason }: Cancellation,
  { clock, audit, queue }: CancelDependencies,
): Promise<number> {
  const tasks = (await listUnfinishedTasks(trx, id)).filter(
    ({ dispatched_at }) => dispatched_at === null,
  );
  // A cancel by a user is recorded even without tasks. A cancel with a reason is not.
  if (tasks.length === 0 && reason) return 0;
  const result = cancelledResult();
  const results = tasks.map((task) => ({ id: task.id, attempt: task.attempt, ...result }));
  await endTasks(trx, results, clock.now());
  const jobIds = tasks.map((task) => jobId(task.id, task.attempt));
  await queue.cancel(trx, jobIds);
  const context = { cancelled: tasks.length, ...(reason && { reason }) };
  const cancelled = { action: 'cancel', entityType: 'run', entityId: id, context };
  const siteRecords = tasks.map((task) => toAuditEntry({ ...task, request }, result));
  await audit.record(trx, origin, [cancelled, ...siteRecords]);
  return tasks.length;
}
