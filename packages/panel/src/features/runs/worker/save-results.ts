import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditOrigin } from '../../../platform/audit-origin.ts';
import { type Batcher, createBatcher } from '../../../platform/batcher.ts';
import type { Trx } from '../../../platform/database/handles.ts';
import { isTransientError } from '../../../platform/database/is-transient-error.ts';
import type { Logger } from '../../../platform/logger.ts';
import { getMeter } from '../../../platform/telemetry/meter.ts';
import { postponePings, requestRepeatedChecks, storeAfter } from '../../health/index.ts';
import { announceFailures } from '../announce-failures.ts';
import { type TaskResult, toAuditEntry } from '../outcome/task-outcome.ts';
import { listWatchedItems } from '../outcome/updated-items.ts';
import { listRolloutIds, listUnfinishedRuns, lockRuns } from '../runs.repository.ts';
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
    'db' | 'clock' | 'audit' | 'sites' | 'guardRollouts' | 'notificationOutbox' | 'watches'
  >;

const MAX_BATCH_SIZE = 200;
const RETRY_MS = 500;
/** No pings for this time after a call: the site may still restart or fill its caches. */
const QUIET_MS = 2 * 60_000;
/** Waits for larger batches: each transaction locks its runs, and dispatches wait for that lock. */
const BATCH_DELAY_MS = 100;

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

/**
 * Saves result, audit record and site state in one transaction, which also halts the rollouts of the tasks if a result
 * exceeds their limit. Returns the tasks that were still open.
 */
async function saveResults(
  trx: Trx,
  items: TaskWithResult[],
  deps: Dependencies,
): Promise<TaskWithResult[]> {
  const runIds = items.map(({ task }) => task.run_id);
  const rolloutIds = await listRolloutIds(trx, runIds);
  const { saved, lockedIds } = await deps.guardRollouts(trx, rolloutIds, async () => {
    // Trouble in one run cancels all runs of its rollout.
    const ofRollouts = rolloutIds.length > 0 ? await listUnfinishedRuns(trx, { rolloutIds }) : [];
    const lockedIds = (await lockRuns(trx, [...runIds, ...ofRollouts])).map(({ id }) => id);
    const saved = await store(trx, items, deps);
    return { saved, lockedIds, endedTaskIds: saved.map(({ task }) => task.id) };
  });
  // Also the runs that a halt has ended.
  await announceFailures(trx, deps.notificationOutbox, lockedIds);
  return saved;
}

/** The caller has locked the runs. */
async function store(
  trx: Trx,
  items: TaskWithResult[],
  deps: Dependencies,
): Promise<TaskWithResult[]> {
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
  const calls = saved.map(({ task, result, isSlow }) => ({
    siteId: task.site_id,
    runId: task.run_id,
    kind: task.kind,
    action: task.request.action,
    isSlow,
    ...result,
  }));
  const siteIds = saved.map(({ task }) => task.site_id);
  // Before the sites are locked: pings lock in this order too.
  await postponePings(trx, siteIds, new Date(deps.clock.now().getTime() + QUIET_MS));
  await deps.sites.recordCalls(trx, calls);
  const observed = saved.flatMap(({ task, result }) =>
    result.health ? [{ task, ...result.health }] : [],
  );
  await storeAfter(trx, observed, deps.clock.now());
  const updated = saved.flatMap(({ task, result }) => {
    const items = listWatchedItems(task, result, versions.get(task.id));
    return items.length > 0 ? [{ id: task.id, items }] : [];
  });
  await deps.watches.start(trx, updated);
  const updatedIds = updated.map(({ id }) => id);
  await requestRepeatedChecks(trx, updatedIds, deps.clock.now());
  return saved;
}

const isPluginAction = ({ kind }: OpenTask) => kind === 'plugin_action';
