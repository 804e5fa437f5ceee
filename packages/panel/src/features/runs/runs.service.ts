import { canonicalSiteUrl, type PluginActionRequest, SITE_IDS_MAX } from '@steward/contract';
import type { Database, RunKind, TaskStatus, Trx } from '../../database/tables.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Notifications } from '../../lib/notifications.ts';
import type { NewJob, Queue } from '../../lib/queue.ts';
import type { AuditService, Origin } from '../audit/audit.service.ts';
import type { SiteAccessService, Viewer } from '../site-access/site-access.service.ts';
import {
  type RunDetails,
  type RunSummary,
  summarize,
  type TaskView,
  taskView,
} from './run-view.ts';
import {
  cancelUncalled,
  countByStatus,
  countDown,
  findRun,
  findSites,
  insertRun,
  insertTasks,
  type KnownSite,
  listChanges,
  listRuns,
  listTasks,
  lockRuns,
  type NewTask,
  notify,
  type RunRow,
  sitesToRetry,
} from './runs.repository.ts';
import { leaveSites } from './tasks.repository.ts';

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
  list(user: Viewer, page: { before: number | null; limit: number }): Promise<RunSummary[]>;
  /** Tasks that have changed since, in the order of their changes; and whether that is the end. */
  changes(user: Viewer, runId: number, after: number): Promise<RunChanges>;
  /** What has not begun ends as cancelled; what is under way is finished. */
  cancel(user: Viewer, runId: number, origin: Origin): Promise<RunSummary>;
  /** A new run for the sites where something is left to do. */
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
  queue: Pick<Queue, 'add'>;
  notifications: Pick<Notifications, 'on'>;
};

const CHANGES_AT_ONCE = 500;
/** A notification may be lost with its connection. */
const LOOK_ANYWAY_MS = 1000;
/** Somebody sits and waits for a single action; a bulk update goes on for minutes anyway. */
const PRIORITY_OF_ONE = 1;
/** Low enough to let other hosts go first, not so low that every newer run does. */
const LOWEST_RANK = 20;

export function createRunService(deps: Dependencies): RunService {
  const { db, clock, audit, siteAccess, queue, notifications } = deps;

  const service: RunService = {
    async create(user, { kind, siteIds, request, retryOf }, origin) {
      const ids = [...new Set(siteIds)].slice(0, SITE_IDS_MAX);
      const visible = await siteAccess.visible(user, ids);
      return db.transaction().execute(async (trx) => {
        const sites = await findSites(trx, [...visible]);
        const tasks = ids.map((id, position) => newTask(id, position, sites.get(id)));
        const open = tasks.filter(({ status }) => status === 'queued').length;
        const runId = await insertRun(trx, {
          kind,
          request: { ...request },
          origin,
          created_by: user.id,
          retry_of: retryOf ?? null,
          total: tasks.length,
          open_tasks: open,
          created_at: clock.now(),
          ...(open === 0 && { finished_at: clock.now() }),
        });
        const taskIds = await insertTasks(trx, runId, tasks);
        await queue.add(trx, jobsFor(kind, tasks, taskIds, sites));
        await audit.record(trx, origin, {
          action: 'create',
          entityType: 'run',
          entityId: runId,
          context: { kind, sites: open, ...request, ...(retryOf && { retry_of: retryOf }) },
        });
        await notify(trx, [runId]);
        return runId;
      });
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
      return { ...(await summaryOf(run)), results: tasks.map(taskView) };
    },

    async list(user, page) {
      const createdBy = user.role === 'owner' ? null : user.id;
      const runs = await listRuns(db, { ...page, createdBy });
      const counts = await countByStatus(
        db,
        runs.map(({ id }) => id),
      );
      return runs.map((run) => summarize(run, counts));
    },

    async changes(user, runId, after) {
      // The run first: if it has finished, all changes of its tasks are there to be read.
      const run = await mustFind(db, user, runId);
      const tasks = await listChanges(db, runId, { after, limit: CHANGES_AT_ONCE });
      return {
        run: await summaryOf(run),
        tasks: tasks.map((task) => ({ ...taskView(task), change: task.change })),
      };
    },

    async cancel(user, runId, origin) {
      await mustFind(db, user, runId);
      await db.transaction().execute(async (trx) => {
        const [run] = await lockRuns(trx, [runId]);
        if (!run || run.finished_at || run.cancelled_at) return;
        const cancelled = await cancelUncalled(trx, runId, clock.now());
        await leaveSites(trx, cancelled);
        await countDown(trx, runId, cancelled.length, clock.now());
        await audit.record(trx, origin, {
          action: 'cancel',
          entityType: 'run',
          entityId: runId,
          context: { cancelled: cancelled.length },
        });
        await notify(trx, [runId]);
      });
      return summaryOf(await mustFind(db, user, runId));
    },

    async retry(user, runId, origin) {
      const run = await mustFind(db, user, runId);
      if (!run.finished_at) throw new AppError('run_not_finished');
      const siteIds = await sitesToRetry(db, runId);
      if (siteIds.length === 0) throw new AppError('nothing_to_retry');
      const { action, plugin } = run.request as Partial<PluginActionRequest>;
      const request = action && plugin ? { request: { action, plugin } } : {};
      return service.create(user, { kind: run.kind, siteIds, retryOf: runId, ...request }, origin);
    },

    onNews: (runId, listener) =>
      notifications.on((payload) => {
        if (payload === '' || Number(payload) === runId) listener();
      }),
  };
  return service;

  async function summaryOf(run: RunRow): Promise<RunSummary> {
    return summarize(run, await countByStatus(db, [run.id]));
  }
}

/** A run is its creator's and the owners'; to others it does not exist. */
async function mustFind(on: Database | Trx, user: Viewer, runId: number): Promise<RunRow> {
  const run = await findRun(on, runId);
  if (!run || (user.role !== 'owner' && run.created_by !== user.id)) {
    throw new AppError('run_not_found');
  }
  return run;
}

function newTask(siteId: number, position: number, site: KnownSite | undefined): NewTask {
  const task = { position, site_id: siteId };
  if (site) return { ...task, site_url: site.url, status: 'queued', code: null, error: null };
  const { code, message } = new AppError('site_not_found');
  return { ...task, site_url: null, status: 'refused', code, error: message };
}

/**
 * Interleaved by host: only few calls go to one host at once, and a thousand sites of one provider
 * must not stand in the way of all others.
 */
function jobsFor(
  kind: RunKind,
  tasks: NewTask[],
  taskIds: number[],
  sites: Map<number, KnownSite>,
): NewJob[] {
  const rankOnHost = new Map<string, number>();
  return tasks.flatMap((task, index) => {
    const site = sites.get(task.site_id);
    const taskId = taskIds[index];
    if (!site || taskId === undefined) return [];
    const host = hostOf(site.url);
    const rank = rankOnHost.get(host) ?? 0;
    rankOnHost.set(host, rank + 1);
    const priority = kind === 'plugin_action' ? PRIORITY_OF_ONE : -Math.min(rank, LOWEST_RANK);
    return [{ taskId, host, priority }];
  });
}

function hostOf(siteUrl: string): string {
  const url = canonicalSiteUrl(siteUrl);
  return url.ok ? new URL(url.origin).hostname : siteUrl;
}

function nextNews(
  notifications: Pick<Notifications, 'on'>,
  runId: number,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stop();
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    const stop = notifications.on((payload) => {
      if (payload === '' || Number(payload) === runId) end();
    });
    signal?.addEventListener('abort', end);
  });
}
