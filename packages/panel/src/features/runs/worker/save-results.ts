import { setTimeout as sleep } from 'node:timers/promises';
import { isPassingFault } from '../../../database/connect.ts';
import type { Database, Trx } from '../../../database/tables.ts';
import { type Batcher, createBatcher } from '../../../lib/batcher.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { AuditService, Origin } from '../../audit/audit.service.ts';
import type { SiteService } from '../../sites/sites.service.ts';
import { type TaskResult, taskAudit } from '../outcome/task-outcome.ts';
import { lockRuns } from '../runs.repository.ts';
import { endTasks, type OpenTask } from './tasks.repository.ts';

export type Ended = { task: OpenTask; result: TaskResult };

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  sites: Pick<SiteService, 'noteCalls'>;
  log: Logger;
  /** False once the process is to end: then nothing is tried again. */
  isRunning(): boolean;
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

/** Result, audit record and state of the site: all or nothing. */
async function saveResults(trx: Trx, items: Ended[], deps: Dependencies): Promise<void> {
  const now = deps.clock.now();
  const runIds = [...new Set(items.map(({ task }) => task.run_id))];
  await lockRuns(trx, runIds);
  const ended = await endTasks(
    trx,
    items.map(({ task: { id, attempt }, result }) => ({ id, attempt, result })),
    now,
  );
  const saved = items.filter(({ task }) => ended.has(task.id));
  for (const runId of runIds) {
    const ofRun = saved.filter(({ task }) => task.run_id === runId);
    const records = ofRun.map(({ task, result }) => taskAudit(task, result));
    const [first] = ofRun;
    if (first) await deps.audit.record(trx, first.task.origin as Origin, records);
  }
  await deps.sites.noteCalls(trx, saved.map(asCallResult));
}

const asCallResult = ({ task, result }: Ended) => ({
  siteId: task.site_id,
  runId: task.run_id,
  kind: task.kind,
  action: task.request.action,
  ...result,
});
