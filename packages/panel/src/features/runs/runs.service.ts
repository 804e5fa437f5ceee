import { type PluginActionRequest, SITE_IDS_MAX } from '@steward/contract';
import type { Database, RunKind, TaskStatus, Trx } from '../../database/tables.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Channel } from '../../lib/notifications.ts';
import type { AuditService, Origin } from '../audit/audit.service.ts';
import type { SiteAccessService, Viewer } from '../site-access/site-access.service.ts';
import { BY_WORKER, endUncalled, type WithdrawalReason } from './cancellation.ts';
import { type CallQueue, jobsFor } from './jobs.ts';
import { siteNotFound, taskAudit } from './outcome/task-outcome.ts';
import {
  hiddenTaskView,
  type RunDetails,
  type RunSummary,
  summarize,
  type TaskView,
  taskView,
} from './run-view.ts';
import {
  countByStatus,
  findRetriesOf,
  findRun,
  findSites,
  insertRun,
  insertTasks,
  type KnownSite,
  listChanges,
  listRuns,
  listTasks,
  lockRuns,
  markCancelled,
  type NewTask,
  type RunPage,
  type RunRow,
  sitesToRetry,
  type TaskRow,
  unfinishedTasks,
} from './runs.repository.ts';

export type RunOrder = {
  kind: RunKind;
  siteIds: number[];
  request?: PluginActionRequest;
  retryOf?: number;
};

/** What people ask of sites. Once accepted, a run is finished, whatever is killed in between. */
export type RunService = {
  create(user: Viewer, order: RunOrder, origin: Origin): Promise<number>;
  /** Until it has finished or the time is over; whether it has. */
  waitFor(runId: number, milliseconds: number, signal?: AbortSignal): Promise<boolean>;
  show(user: Viewer, runId: number, page?: TaskPage): Promise<RunDetails>;
  list(user: Viewer, page: RunPage): Promise<RunSummary[]>;
  /** Tasks that have changed since, in the order of their changes; and whether that is the end. */
  changes(user: Viewer, runId: number, after: number): Promise<RunChanges>;
  /** What has not begun ends as cancelled; what is under way is finished. */
  cancel(user: Viewer, runId: number, origin: Origin): Promise<RunSummary>;
  /**
   * What has not begun ends, and it is the panel that ends it: nobody waits for it any more. Whether
   * there was anything.
   */
  withdraw(runId: number, reason: WithdrawalReason): Promise<boolean>;
  /** A new run for the sites where something is left to do; asked for again, the same one. */
  retry(user: Viewer, runId: number, origin: Origin): Promise<number>;
  /** Called when there may be news of a run; gives what stops that. */
  onNews(runId: number, listener: () => void): () => void;
};

export type TaskPage = { after?: number; limit?: number; status?: TaskStatus | null };
export type RunChanges = { run: RunSummary; tasks: (TaskView & { change: number })[] };

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  siteAccess: Pick<SiteAccessService, 'visible'>;
  queue: Pick<CallQueue, 'add' | 'cancel'>;
  notifications: Channel;
};

type Accepted = { user: Viewer; order: RunOrder; visible: Set<number>; origin: Origin };

const CHANGES_AT_ONCE = 500;
/** A notification may be lost with its connection. */
const LOOK_ANYWAY_MS = 1000;

export function createRunService(deps: Dependencies): RunService {
  const { db, clock, audit, siteAccess, queue, notifications } = deps;

  return {
    async create(user, order, origin) {
      const visible = await siteAccess.visible(user, order.siteIds);
      return db.transaction().execute((trx) => insert(trx, { user, order, visible, origin }));
    },

    async waitFor(runId, milliseconds, signal) {
      const isFinished = async () => (await findRun(db, runId))?.finished_at != null;
      const deadline = performance.now() + milliseconds;
      while (!(await isFinished())) {
        const left = deadline - performance.now();
        if (left <= 0 || signal?.aborted) return false;
        await nextNews(notifications, runId, Math.min(left, LOOK_ANYWAY_MS), signal);
      }
      return true;
    },

    async show(user, runId, { after = -1, limit = SITE_IDS_MAX, status = null } = {}) {
      const run = await mustFind(db, user, runId);
      const tasks = await listTasks(db, runId, { after, limit, status });
      return { ...(await summaryOf(user, run)), results: await viewsFor(user, tasks) };
    },

    async list(user, page) {
      const createdBy = user.role === 'owner' ? null : user.id;
      return summariesOf(user, await listRuns(db, { ...page, createdBy }));
    },

    async changes(user, runId, after) {
      // The run first: if it has finished, all changes of its tasks are there to be read.
      const run = await mustFind(db, user, runId);
      const tasks = await listChanges(db, runId, { after, limit: CHANGES_AT_ONCE });
      const views = await viewsFor(user, tasks);
      return {
        run: await summaryOf(user, run),
        tasks: views.map((view, index) => ({ ...view, change: tasks[index]?.change ?? after })),
      };
    },

    async cancel(user, runId, origin) {
      await mustFind(db, user, runId);
      await db.transaction().execute(async (trx) => {
        const [run] = await lockRuns(trx, [runId]);
        if (!run || run.finished_at || run.cancelled_at) return;
        await endUncalled(trx, run, { origin }, deps);
        await markCancelled(trx, runId, clock.now());
      });
      return summaryOf(user, await mustFind(db, user, runId));
    },

    withdraw: (runId, reason) =>
      db.transaction().execute(async (trx) => {
        const [run] = await lockRuns(trx, [runId]);
        if (!run || run.finished_at) return false;
        return (await endUncalled(trx, run, { origin: BY_WORKER, reason }, deps)) > 0;
      }),

    async retry(user, runId, origin) {
      const run = await mustFind(db, user, runId);
      if (!run.finished_at) throw new AppError('run_not_finished');
      const siteIds = await sitesToRetry(db, runId);
      if (siteIds.length === 0) throw new AppError('nothing_to_retry');
      const { action, plugin } = run.request as Partial<PluginActionRequest>;
      const request = action && plugin ? { request: { action, plugin } } : {};
      const order = { kind: run.kind, siteIds, retryOf: runId, ...request };
      const visible = await siteAccess.visible(user, order.siteIds);
      return db.transaction().execute(async (trx) => {
        // Of two who ask at the same moment the second waits here, and finds the run of the first.
        await lockRuns(trx, [runId]);
        const [existing] = await findRetriesOf(trx, [runId]);
        if (!existing) return insert(trx, { user, order, visible, origin });
        if (!maySee(user, existing)) throw new AppError('run_already_retried');
        return existing.id;
      });
    },

    onNews: (runId, listener) => onNews(notifications, runId, listener),
  };

  /** The run, its tasks, their jobs and the audit records: all or nothing. */
  async function insert(trx: Trx, { user, order, visible, origin }: Accepted): Promise<number> {
    const { kind, request, retryOf } = order;
    const ids = [...new Set(order.siteIds)].slice(0, SITE_IDS_MAX);
    const now = clock.now();
    const existing = await findSites(trx, ids);
    const tasks = ids.map((id, position) =>
      newTask(id, position, visible.has(id) ? existing.get(id) : undefined),
    );
    const open = tasks.filter(({ status }) => status === 'queued').length;
    const runId = await insertRun(trx, {
      kind,
      request: { ...request },
      origin,
      created_by: user.id,
      retry_of: retryOf ?? null,
      total: tasks.length,
      open_tasks: open,
      created_at: now,
      ...(open === 0 && { finished_at: now }),
    });
    await insertTasks(trx, runId, tasks, now);
    await queue.add(trx, jobsFor(await unfinishedTasks(trx, runId)));
    const created = {
      action: 'create',
      entityType: 'run',
      entityId: runId,
      context: {
        kind,
        sites: open,
        refused: tasks.length - open,
        ...request,
        ...(retryOf && { retry_of: retryOf }),
      },
    };
    // Somebody tried to act on a site that is not theirs: they are told of none, owners can read it.
    const refusals = tasks
      .filter(({ status, site_id }) => status === 'refused' && existing.has(site_id))
      .map(({ site_id }) =>
        taskAudit({ run_id: runId, site_id, kind, request: { ...request } }, siteNotFound()),
      );
    await audit.record(trx, origin, [created, ...refusals]);
    return runId;
  }

  /** A user whose access to a site was revoked since no longer reads what happened there. */
  async function viewsFor(user: Viewer, tasks: TaskRow[]): Promise<TaskView[]> {
    if (user.role === 'owner') return tasks.map(taskView);
    const visible = await siteAccess.visible(
      user,
      tasks.map(({ site_id }) => site_id),
    );
    return tasks.map((task) => (visible.has(task.site_id) ? taskView(task) : hiddenTaskView(task)));
  }

  async function summaryOf(user: Viewer, run: RunRow): Promise<RunSummary> {
    const [summary] = await summariesOf(user, [run]);
    if (!summary) throw new Error(`Run ${run.id} has no summary.`);
    return summary;
  }

  async function summariesOf(user: Viewer, runs: RunRow[]): Promise<RunSummary[]> {
    const counts = await countByStatus(
      db,
      runs.map(({ id }) => id),
    );
    // What goes on cannot have been tried again; whoever watches asks often.
    const finished = runs.filter(({ finished_at }) => finished_at !== null);
    const retries = (
      await findRetriesOf(
        db,
        finished.map(({ id }) => id),
      )
    ).map((retry) => ({ ...retry, isShown: maySee(user, retry) }));
    return runs.map((run) => summarize(run, counts, retries));
  }
}

/** A run is its creator's and the owners'; to others it does not exist. */
async function mustFind(on: Database | Trx, user: Viewer, runId: number): Promise<RunRow> {
  const run = await findRun(on, runId);
  if (!run || !maySee(user, run)) throw new AppError('run_not_found');
  return run;
}

function maySee(user: Viewer, run: Pick<RunRow, 'created_by'>): boolean {
  return user.role === 'owner' || run.created_by === user.id;
}

function newTask(siteId: number, position: number, site: KnownSite | undefined): NewTask {
  const task = { position, site_id: siteId };
  if (site) return { ...task, site_url: site.url, status: 'queued', code: null, error: null };
  const { code, error } = siteNotFound();
  return { ...task, site_url: null, status: 'refused', code, error };
}

function nextNews(
  notifications: Channel,
  runId: number,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  const stop = onNews(notifications, runId, resolve);
  const onAbort = () => resolve();
  signal?.addEventListener('abort', onAbort);
  return promise.finally(() => {
    clearTimeout(timer);
    stop();
    signal?.removeEventListener('abort', onAbort);
  });
}

function onNews(notifications: Channel, runId: number, listener: () => void): () => void {
  return notifications.on((payload) => {
    if (payload === '' || Number(payload) === runId) listener();
  });
}
