import { setTimeout as sleep } from 'node:timers/promises';
import { isPassingFault } from '../../../database/connect.ts';
import type { Database, Trx } from '../../../database/tables.ts';
import { type Batcher, createBatcher } from '../../../lib/batcher.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { AuditService, Origin } from '../../audit/audit.service.ts';
import type { SiteService } from '../../sites/sites.service.ts';
import { type CallQueue, jobId } from '../jobs.ts';
import { neverCalled, type TaskResult, taskAudit } from '../outcome/task-outcome.ts';
import { type LockedRun, lockRuns, unfinishedTasks } from '../runs.repository.ts';
import { endTasks, type OpenTask } from './tasks.repository.ts';

export type Ended = { task: OpenTask; result: TaskResult };

type Retrying = {
  log: Logger;
  /** Aborted once the process is to end: then nothing is tried again. */
  signal: AbortSignal;
};
type Dependencies = Retrying & {
  db: Database;
  clock: Clock;
  audit: AuditService;
  sites: Pick<SiteService, 'noteCalls'>;
};

const MOST_AT_ONCE = 200;
const TRY_AGAIN_MS = 500;
/** A transaction locks its runs, and dispatches wait for it. */
const GATHER_MS = 50;

/** Saves results, those that wait together in one transaction, and loses none to an outage. */
export function createResultWriter(deps: Dependencies): Batcher<Ended, void> {
  const save = (items: Ended[]) =>
    deps.db.transaction().execute((trx) => saveResults(trx, items, deps));
  return createBatcher<Ended, void>({
    async run(items) {
      await retryUntilSaved(() => save(items), deps);
      return items.map(() => undefined);
    },
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
async function saveResults(trx: Trx, items: Ended[], deps: Dependencies): Promise<void> {
  await lockRuns(
    trx,
    items.map(({ task }) => task.run_id),
  );
  const ended = await endTasks(
    trx,
    items.map(({ task: { id, attempt }, result }) => ({ id, attempt, ...result })),
    deps.clock.now(),
  );
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
}

/** Why the panel itself ends what it has not begun. */
export type WithdrawalReason = 'panel_stopping' | 'not_begun_in_time';

/** `call_taken_back`: the run was cancelled while a call of it was noted that did not come about. */
type By = { origin: Origin; reason?: WithdrawalReason | 'call_taken_back' };

/** No user asked for it at that moment. */
export const BY_WORKER: Origin = { actor: 'system', via: 'worker' };

/**
 * Ends what no site was called for, with a record of the run and one of each of those sites; gives how
 * many. The run must be locked.
 */
export async function endUncalled(
  trx: Trx,
  { id, request }: LockedRun,
  { origin, reason }: By,
  {
    clock,
    audit,
    queue,
  }: Pick<Dependencies, 'clock' | 'audit'> & { queue: Pick<CallQueue, 'cancel'> },
): Promise<number> {
  const tasks = (await unfinishedTasks(trx, id)).filter(({ called_at }) => called_at === null);
  // A person's wish is recorded in any case; the panel had none if there was nothing to end.
  if (tasks.length === 0 && reason) return 0;
  const result = neverCalled();
  await endTasks(
    trx,
    tasks.map((task) => ({ ...result, id: task.id, attempt: task.attempt })),
    clock.now(),
  );
  await queue.cancel(
    trx,
    tasks.map((task) => jobId(task.id, task.attempt)),
  );
  const context = { cancelled: tasks.length, ...(reason && { reason }) };
  const cancelled = { action: 'cancel', entityType: 'run', entityId: id, context };
  const ofSites = tasks.map((task) => taskAudit({ ...task, request }, result));
  await audit.record(trx, origin, [cancelled, ...ofSites]);
  return tasks.length;
}
