import { setTimeout as sleep } from 'node:timers/promises';
import { isPassingFault } from '../../../database/connect.ts';
import type { Database, Trx } from '../../../database/tables.ts';
import { type Batcher, createBatcher } from '../../../lib/batcher.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Queue } from '../../../lib/queue.ts';
import type { AuditService, Origin } from '../../audit/audit.service.ts';
import type { SiteService } from '../../sites/sites.service.ts';
import { countDown, lockRuns, notify } from '../runs.repository.ts';
import { taskAudit } from '../task-audit.ts';
import { countsOf, type TaskResult } from '../task-result.ts';
import { endTasks, leaveSites, type TaskToDo } from '../tasks.repository.ts';

export type Ended = { task: TaskToDo; jobId: string; result: TaskResult };

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  sites: Pick<SiteService, 'noteCalls'>;
  queue: Pick<Queue, 'finish'>;
  log: Logger;
  /** False once the process is to end: then nothing is tried again. */
  isRunning(): boolean;
};

const MOST_AT_ONCE = 200;
const TRY_AGAIN_MS = 500;

/** Writes results, those that wait together in one transaction, and does not lose one to an outage. */
export function createResultWriter(deps: Dependencies): Batcher<Ended, void> {
  const { db, log, isRunning } = deps;
  return createBatcher<Ended, void>({
    async run(items) {
      await untilWritten(() => db.transaction().execute((trx) => writeResults(trx, items, deps)), {
        log,
        isRunning,
      });
      return items.map(() => undefined);
    },
    keyOf: ({ task }) => String(task.id),
    maxBatchSize: MOST_AT_ONCE,
    isFaultOfOne: (error) => !isPassingFault(error),
  });
}

/** Tries again for as long as the database is away. */
export async function untilWritten<T>(
  write: () => Promise<T>,
  { log, isRunning }: Pick<Dependencies, 'log' | 'isRunning'>,
): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isPassingFault(error) || !isRunning()) throw error;
      log.warn({ reason: String(error) }, 'The database did not take it yet.');
      await sleep(TRY_AGAIN_MS);
    }
  }
}

/** Result, audit record, how the site stands, the count of what is left, the job and the news of it: all or nothing. */
export async function writeResults(
  trx: Trx,
  items: Ended[],
  { clock, audit, sites, queue }: Pick<Dependencies, 'clock' | 'audit' | 'sites' | 'queue'>,
): Promise<void> {
  if (items.length === 0) return;
  const now = clock.now();
  const runIds = [...new Set(items.map(({ task }) => task.run_id))];
  await lockRuns(trx, runIds);
  const ended = await endTasks(
    trx,
    items.map(({ task, result }) => ({
      id: task.id,
      attempt: task.attempt,
      result,
      counts: countsOf(result.details),
    })),
    now,
  );
  const mine = items.filter(({ task }) => ended.has(task.id));
  for (const runId of runIds) {
    const ofRun = mine.filter(({ task }) => task.run_id === runId);
    await countDown(trx, runId, ofRun.length, now);
    const [first] = ofRun;
    const records = ofRun.map(({ task, result }) => taskAudit(task, result));
    if (first) await audit.record(trx, first.task.origin as Origin, records);
  }
  await sites.noteCalls(trx, mine.map(callResult));
  await leaveSites(
    trx,
    mine.map(({ task }) => task.id),
  );
  // Only those: the job of a task that was taken over is its successor's now.
  await queue.finish(
    trx,
    mine.map(({ jobId }) => jobId),
  );
  await notify(trx, runIds);
}

const callResult = ({ task, result }: Ended) => ({
  siteId: task.site_id,
  runId: task.run_id,
  kind: task.kind,
  action: task.request.action,
  ...result,
});
