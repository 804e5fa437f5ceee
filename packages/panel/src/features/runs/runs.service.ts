import { setTimeout as sleep } from 'node:timers/promises';
import { SITE_IDS_MAX } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, RunKind, Trx } from '../../platform/database/tables.ts';
import type { Channel } from '../../platform/notifications.ts';
import type { Origin } from '../../platform/origin.ts';
import type { UserService } from '../accounts/index.ts';
import type { AuditService } from '../audit/index.ts';
import type { SiteAccessService, Viewer } from '../site-access/index.ts';
import { type CallQueue, jobsFor } from './jobs.ts';
import { siteNotFound, taskAudit } from './outcome/task-outcome.ts';
import { hiddenTaskView, maySeeRunOf, runView, type TaskView, taskView } from './run-view.ts';
import {
  findRun,
  findSiteUrls,
  insertRun,
  insertTasks,
  isFinished,
  listRuns,
  lockRuns,
  markCancelled,
  type NewTask,
  type RunPage,
  type RunRow,
  sitesToRetry,
  unfinishedTasks,
} from './runs.repository.ts';
import { findTask, listTasks, type TaskPage, type TaskRow } from './task-list.repository.ts';
import { BY_WORKER, endUncalled, type WithdrawalReason } from './worker/save-results.ts';

export type RunOrder = {
  kind: RunKind;
  siteIds: number[];
  /** What is asked of a single plugin. */
  request?: Record<string, string>;
  retryOf?: number;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  siteAccess: Pick<SiteAccessService, 'visible'>;
  users: Pick<UserService, 'assertEnabled'>;
  queue: Pick<CallQueue, 'add' | 'cancel'>;
  notifications: Channel;
};

const ALL_TASKS = { after: -1, limit: SITE_IDS_MAX };
const CHANGES_AT_ONCE = 500;
/** A notification may be lost with its connection. */
const LOOK_ANYWAY_MS = 1000;

export type RunService = ReturnType<typeof createRunService>;

/** What people ask of sites. Once accepted, a run is finished, whatever is killed in between. */
export function createRunService(deps: Dependencies) {
  const { db, clock, audit, siteAccess, users, queue, notifications } = deps;

  return {
    create: accept,

    /** Until it has finished or the time is over; whether it has. */
    async waitFor(runId: number, milliseconds: number, signal: AbortSignal): Promise<boolean> {
      const deadline = performance.now() + milliseconds;
      while (!(await isFinished(db, runId))) {
        const left = deadline - performance.now();
        if (left <= 0 || signal.aborted) return false;
        await nextNews(runId, Math.min(left, LOOK_ANYWAY_MS), signal);
      }
      return true;
    },

    async assertMaySee(user: Viewer, runId: number): Promise<void> {
      await mustFind(user, runId);
    },

    async show(user: Viewer, runId: number, page: Omit<TaskPage, 'by'> = ALL_TASKS) {
      const run = await mustFind(user, runId);
      const tasks = await listTasks(db, user, runId, { by: 'position', ...page });
      return { ...runView(user, run), results: await viewsFor(user, run, tasks) };
    },

    /** A task with its details, however many others have some. */
    async showTask(user: Viewer, runId: number, taskId: number): Promise<TaskView> {
      const run = await mustFind(user, runId);
      const task = await findTask(db, runId, taskId);
      const [view] = await viewsFor(user, run, task ? [task] : []);
      if (!view) throw new AppError('not_found');
      return view;
    },

    async list(user: Viewer, page: RunPage) {
      const runs = await listRuns(db, user, page);
      return runs.map((run) => runView(user, run));
    },

    /** Tasks that have changed since, in the order of their changes. */
    async changes(user: Viewer, runId: number, after: number) {
      // The run first: if it has finished, all changes of its tasks are there to be read.
      const run = await mustFind(user, runId);
      const page = { by: 'change', after, limit: CHANGES_AT_ONCE } as const;
      const tasks = await listTasks(db, user, runId, page);
      return { run: runView(user, run), tasks: await viewsFor(user, run, tasks) };
    },

    nextNews,

    /** What has not begun ends as cancelled; what is under way is finished. */
    async cancel(user: Viewer, runId: number, origin: Origin) {
      await mustFind(user, runId);
      await db.transaction().execute(async (trx) => {
        const [run] = await lockRuns(trx, [runId]);
        if (!run || run.finished_at || run.cancelled_at) return;
        await endUncalled(trx, run, { origin }, deps);
        await markCancelled(trx, runId, clock.now());
      });
      return runView(user, await mustFind(user, runId));
    },

    /**
     * What has not begun ends, and it is the panel that ends it: no user waits for it any more.
     * Whether there was anything.
     */
    withdraw: (runId: number, reason: WithdrawalReason): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const [run] = await lockRuns(trx, [runId]);
        if (!run || run.finished_at) return false;
        return (await endUncalled(trx, run, { origin: BY_WORKER, reason }, deps)) > 0;
      }),

    /** A new run for the sites where something is left to do; asked for again, the same one. */
    async retry(user: Viewer, runId: number, origin: Origin): Promise<number> {
      const run = await mustFind(user, runId);
      if (!run.finished_at) throw new AppError('run_not_finished');
      const left = await sitesToRetry(db, runId);
      // Which of the sites that they may not see any more have failed is not told to them here either.
      const visible = await siteAccess.visible(user, left);
      const siteIds = left.filter((siteId) => visible.has(siteId));
      if (siteIds.length === 0) throw new AppError('nothing_to_retry');
      const { kind, request } = run;
      return accept(user, { kind, request, siteIds, retryOf: runId }, origin);
    },
  };

  /** The run, its tasks, their jobs and the audit records: all or nothing. */
  async function accept(user: Viewer, order: RunOrder, origin: Origin): Promise<number> {
    const { kind, request = {}, retryOf = null } = order;
    const siteIds = [...new Set(order.siteIds)].slice(0, SITE_IDS_MAX);
    const visible = await siteAccess.visible(user, siteIds);
    return db.transaction().execute(async (trx) => {
      await users.assertEnabled(trx, user.id);
      const retry = retryOf && (await existingRetry(trx, user, retryOf));
      if (retry) return retry;
      const now = clock.now();
      const urls = await findSiteUrls(trx, siteIds);
      const tasks = siteIds.map((site_id, position): NewTask => {
        const site_url = (visible.has(site_id) && urls.get(site_id)) || null;
        if (site_url) return { site_id, position, site_url, status: 'queued' };
        const { status, code, error } = siteNotFound();
        return { site_id, position, site_url, status, code, error, finished_at: now };
      });
      const refused = tasks.filter(({ status }) => status === 'refused');
      const open = tasks.length - refused.length;
      const runId = await insertRun(trx, {
        kind,
        request,
        origin,
        created_by: user.id,
        retry_of: retryOf,
        total: tasks.length,
        open_tasks: open,
        created_at: now,
        finished_at: open === 0 ? now : null,
      });
      await insertTasks(trx, runId, tasks);
      await queue.add(trx, jobsFor(await unfinishedTasks(trx, runId)));
      const sites = { sites: open, refused: refused.length };
      const context = { kind, ...sites, ...request, ...(retryOf && { retry_of: retryOf }) };
      const created = { action: 'create', entityType: 'run', entityId: runId, context };
      // A user tried to act on a site of others: the user is told of none, owners can read it.
      const refusals = refused
        .filter(({ site_id }) => urls.has(site_id))
        .map(({ site_id }) => taskAudit({ run_id: runId, site_id, kind, request }, siteNotFound()));
      await audit.record(trx, origin, [created, ...refusals]);
      return runId;
    });
  }

  /** Of two users who retry a run at once, the second waits here and gets the run of the first. */
  async function existingRetry(trx: Trx, user: Viewer, runId: number): Promise<number | null> {
    await lockRuns(trx, [runId]);
    const { retry_id, retry_created_by } = await mustFind(user, runId, trx);
    if (retry_id !== null && !maySeeRunOf(user, retry_created_by)) {
      throw new AppError('run_already_retried');
    }
    return retry_id;
  }

  async function mustFind(user: Viewer, runId: number, on: Database = db): Promise<RunRow> {
    const run = await findRun(on, user, runId);
    if (!run || !maySeeRunOf(user, run.created_by)) throw new AppError('run_not_found');
    return run;
  }

  /** A user whose access to a site was revoked since no longer reads what happened there. */
  async function viewsFor(user: Viewer, run: RunRow, tasks: TaskRow[]): Promise<TaskView[]> {
    if (user.role === 'owner') return tasks.map(taskView);
    const siteIds = tasks.map(({ site_id }) => site_id);
    const visible = await siteAccess.visible(user, siteIds);
    return tasks.map((task) =>
      visible.has(task.site_id) ? taskView(task) : hiddenTaskView(task, run),
    );
  }

  /** Waits until there may be news of the run; false: there are none, and the time is over. */
  async function nextNews(
    runId: number,
    milliseconds: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const news = new AbortController();
    const stopListening = notifications.on((payload) => {
      if (payload === '' || Number(payload) === runId) news.abort();
    });
    const ended = AbortSignal.any([news.signal, signal]);
    await sleep(milliseconds, undefined, { signal: ended }).catch(() => {});
    stopListening();
    return news.signal.aborted;
  }
}
