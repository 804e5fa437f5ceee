import { setTimeout as sleep } from 'node:timers/promises';
import { type RunKind, type RunsEvent, SITE_IDS_MAX } from '@steward/contract';
import type { Static } from 'typebox';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Channel } from '../../platform/channels.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { getMeter } from '../../platform/telemetry/meter.ts';
import { getTraceparent, inSpan } from '../../platform/telemetry/tracing.ts';
import type { UserService } from '../accounts/index.ts';
import type { AuditService } from '../audit/index.ts';
import { readWatches } from '../release-health/index.ts';
import { type CurrentUser, OPERATOR, type SiteAccessService } from '../site-access/index.ts';
import type { CallWindow } from './call-window.ts';
import {
  cancelQueuedTasks,
  cancelRuns,
  type WithdrawalReason,
  WORKER_ORIGIN,
} from './cancel-runs.ts';
import { assertMayDelete } from './deletion-limit.ts';
import { createItemPlanner } from './hold-back.ts';
import { type CallQueue, createJobs } from './jobs.ts';
import { nameRequest } from './name-request.ts';
import { toAuditEntry } from './outcome/task-outcome.ts';
import { HIDDEN_SITE, planTask } from './plan-task.ts';
import {
  findRetriedItems,
  limitRequest,
  limitTaskItems,
  type RetriedItems,
} from './retried-items.ts';
import { findRetriedSites, listRetriableTasks, type Retry } from './retries.repository.ts';
import {
  getNewestRetryId,
  shortenItems,
  type TaskView,
  toHiddenTaskView,
  toRunView,
  toRunViews,
  toTaskView,
} from './run-view.ts';
import {
  findNewestRunId,
  findRequestedSites,
  findRun,
  insertRun,
  insertTasks,
  isFinished,
  listRuns,
  listUnfinishedTasks,
  lockRuns,
  type RunPage,
  type RunRow,
} from './runs.repository.ts';
import type { RunRequest } from './tables.ts';
import { findTask, listTasks, type TaskPage, type TaskRow } from './task-list.repository.ts';
import type { WorkerDependencies } from './worker/dependencies.ts';

export type CreateRunInput = {
  kind: RunKind;
  siteIds: number[];
  request?: RunRequest;
  /** The run that this one retries, and the items that did not succeed there. */
  retry?: { of: number; items: RetriedItems };
  /** The rollout and the ring that the run updates. */
  rollout?: { id: number; ring: number };
  /** The schedule that starts the run. The worker calls each site only within its window. */
  schedule?: { id: number; windowOf(siteId: number): CallWindow };
};

type ChangeOptions = {
  origin: AuditOrigin;
  /** Throws if the caller may not start or stop runs of this kind. */
  assertMayChange(run: Pick<RunRow, 'kind' | 'request'>): void;
};

type Dependencies = Pick<WorkerDependencies, 'guardRollouts' | 'notificationOutbox'> & {
  db: Database;
  readDb: Database;
  clock: Clock;
  audit: AuditService;
  siteAccess: Pick<SiteAccessService, 'filterVisible'>;
  users: Pick<UserService, 'assertEnabled'>;
  queue: Pick<CallQueue, 'add'>;
  /** Notifies of changed runs. */
  changes: Channel;
};

const ALL_TASKS = { after: -1, limit: SITE_IDS_MAX };
const MAX_LISTED_CHANGES = 500;
/** The maximum page size of the list of runs. */
const MAX_STREAMED_RUNS = 200;
/** Polls in addition to notifications, which are lost when their connection breaks. */
const POLL_INTERVAL_MS = 1000;

export type RunService = ReturnType<typeof createRunService>;

/** Creates, shows, cancels and retries runs. A created run always finishes, even if processes are killed. */
export function createRunService(deps: Dependencies) {
  const { db, readDb, clock, audit, siteAccess, users, queue, changes } = deps;

  return {
    create: (user: CurrentUser, input: CreateRunInput, origin: AuditOrigin): Promise<number> =>
      db.transaction().execute((trx) => createRun(trx, user, input, origin)),

    /** For a feature that adds a run to its own row. It has locked this row in the transaction. */
    createWithin: createRun,

    /** Waits for the run to finish; returns false on timeout or abort. */
    async waitFor(runId: number, milliseconds: number, signal: AbortSignal): Promise<boolean> {
      const deadline = performance.now() + milliseconds;
      while (!(await isFinished(db, runId))) {
        const remaining = deadline - performance.now();
        if (remaining <= 0 || signal.aborted) return false;
        await waitForChange(runId, Math.min(remaining, POLL_INTERVAL_MS), signal);
      }
      return true;
    },

    async assertCanView(user: CurrentUser, runId: number): Promise<void> {
      await findOrThrow(user, runId);
    },

    async show(user: CurrentUser, runId: number, page: Omit<TaskPage, 'sortBy'> = ALL_TASKS) {
      const run = await findOrThrow(user, runId);
      const tasks = await listTasks(db, user, run, { sortBy: 'position', ...page });
      return { ...(await toRunView(db, user, run)), results: await toTaskViews(user, run, tasks) };
    },

    /** Returns one task with its details. Lists omit the details of further tasks when a page reaches its size limit. */
    async showTask(user: CurrentUser, runId: number, taskId: number): Promise<TaskView> {
      const run = await findOrThrow(user, runId);
      const task = await findTask(db, user, run, taskId);
      const [view] = await toTaskViews(user, run, task ? [task] : []);
      if (!view) throw new AppError('not_found');
      return view;
    },

    async list(user: CurrentUser, page: RunPage) {
      const runs = await listRuns(readDb, user, page);
      return toRunViews(readDb, user, runs);
    },

    /** Returns the running runs, and the id of the newest run. Reads `db`: a replica may not have the change yet. */
    async listRunning(user: CurrentUser): Promise<Static<typeof RunsEvent>> {
      // Reads the id first: a run that starts in between is in the list.
      const newest = await findNewestRunId(db, user);
      const page = {
        before: Number.MAX_SAFE_INTEGER,
        status: 'running',
        limit: MAX_STREAMED_RUNS,
      } as const;
      const runs = await listRuns(db, user, page);
      return { runs: await toRunViews(db, user, runs), newest_run_id: newest };
    },

    /** Returns the tasks with a change number above `after`, in the order of their changes. */
    async listChanges(user: CurrentUser, runId: number, after: number) {
      // Reads the run before its tasks: once it is finished, all task changes are visible.
      const run = await findOrThrow(user, runId);
      const page = { sortBy: 'change', after, limit: MAX_LISTED_CHANGES } as const;
      const tasks = await listTasks(db, user, run, page);
      return { run: await toRunView(db, user, run), tasks: await toTaskViews(user, run, tasks) };
    },

    waitForChange,

    /** Cancels queued tasks. Calls in flight finish. */
    async cancel(user: CurrentUser, runId: number, { origin, assertMayChange }: ChangeOptions) {
      assertMayChange(await findOwnOrThrow(user, runId));
      await db.transaction().execute((trx) => cancelRuns(trx, { runId }, { origin }, deps));
      return toRunView(db, user, await findOrThrow(user, runId));
    },

    /**
     * Cancels queued tasks that the panel stops waiting for. Their client gets an error, so they must not run later.
     * Returns whether it cancelled any.
     */
    withdraw: (runId: number, reason: WithdrawalReason): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const [run] = await lockRuns(trx, [runId]);
        if (!run || run.finished_at) return false;
        return (await cancelQueuedTasks(trx, run, { origin: WORKER_ORIGIN, reason }, deps)) > 0;
      }),

    /** Creates a run for all or some retriable sites. A second call for the same sites returns the same run. */
    async retry(
      user: CurrentUser,
      runId: number,
      requested: number[] | undefined,
      { origin, assertMayChange }: ChangeOptions,
    ): Promise<number> {
      const run = await findOwnOrThrow(user, runId);
      if (!run.finished_at) throw new AppError('run_not_finished');
      assertMayChange(run);
      const tasks = await listRetriableTasks(db, runId);
      const retriable = tasks.map(({ site_id }) => site_id);
      const wanted = requested && new Set(requested);
      const candidates = wanted ? retriable.filter((siteId) => wanted.has(siteId)) : retriable;
      // The response must not reveal which sites failed outside the access of the user.
      const visible = await siteAccess.filterVisible(user, candidates);
      const siteIds = candidates.filter((siteId) => visible.has(siteId));
      if (siteIds.length === 0) throw new AppError('nothing_to_retry');
      const { kind, request, rollout_id, ring } = run;
      const rollout = rollout_id === null || ring === null ? undefined : { id: rollout_id, ring };
      const retry = { of: runId, items: findRetriedItems(tasks) };
      const input = { kind, request, siteIds, retry, ...(rollout && { rollout }) };
      // A halt must find all runs of its rollout.
      const rolloutIds = rollout ? [rollout.id] : [];
      const { retryId } = await db.transaction().execute((trx) =>
        deps.guardRollouts(trx, rolloutIds, async () => ({
          retryId: await createRun(trx, user, input, origin),
          endedTaskIds: [],
        })),
      );
      return retryId;
    },
  };

  /** All tasks of a run belong to one trace, also if a schedule or a rollout creates the run. */
  function createRun(...parameters: Parameters<typeof storeRun>): Promise<number> {
    const [, , { kind, siteIds }] = parameters;
    const attributes = { 'steward.kind': kind, 'steward.sites': siteIds.length };
    return inSpan('create run', { kind: 'internal', attributes }, async (span) => {
      const runId = await storeRun(...parameters);
      span.setAttributes({ 'steward.run_id': runId });
      return runId;
    });
  }

  /** Stores the run, its tasks, their jobs and the audit records in one transaction. */
  async function storeRun(
    trx: Trx,
    user: CurrentUser,
    input: CreateRunInput,
    origin: AuditOrigin,
  ): Promise<number> {
    const { kind, retry, rollout, schedule } = input;
    const retryOf = retry?.of ?? null;
    const requested = [...new Set(input.siteIds)].slice(0, SITE_IDS_MAX);
    const createdBy = user.id === OPERATOR.id ? null : user.id;
    if (createdBy !== null) await users.assertEnabled(trx, createdBy);
    const retried = retryOf
      ? await lockAndFindRetriedSites(trx, retryOf)
      : new Map<number, Retry>();
    const siteIds = requested.filter((siteId) => !retried.has(siteId));
    const retries = requested.flatMap((siteId) => retried.get(siteId) ?? []);
    if (siteIds.length === 0 && retries.length > 0) return getNewestRetryId(user, retries);
    const request = limitRequest(input.request ?? {}, siteIds, retry?.items);
    const now = clock.now();
    if (kind === 'plugin_action' && request.action === 'delete') {
      await assertMayDelete(trx, origin, siteIds.length, now);
    }
    const sites = await findRequestedSites(trx, user, siteIds);
    const { chooseItems } = await createItemPlanner(trx, { kind, request }, siteIds, now);
    const planned = siteIds.map((siteId, position) => {
      const site = sites.get(siteId);
      const siteUrl = site?.is_visible ? site.url : null;
      const chosen =
        siteUrl === null
          ? HIDDEN_SITE
          : limitTaskItems(chooseItems(siteId), retry?.items.get(siteId));
      return planTask({ siteId, siteUrl, position }, chosen, schedule?.windowOf(siteId), now);
    });
    const tasks = planned.map(({ task }) => task);
    const openTasks = planned.filter(({ refusal }) => refusal === null).length;
    const runId = await insertRun(trx, {
      kind,
      request,
      origin,
      created_by: createdBy,
      retry_of: retryOf,
      rollout_id: rollout?.id ?? null,
      ring: rollout?.ring ?? null,
      schedule_id: schedule?.id ?? null,
      traceparent: getTraceparent(),
      total: tasks.length,
      open_tasks: openTasks,
      created_at: now,
      finished_at: openTasks === 0 ? now : null,
    });
    await insertTasks(trx, runId, tasks);
    await queue.add(trx, createJobs(await listUnfinishedTasks(trx, runId)));
    const context = {
      kind,
      sites: openTasks,
      refused: tasks.length - openTasks,
      ...(await nameRequest(trx, user, shortenItems(request))),
      ...(retryOf && { retry_of: retryOf }),
      ...(rollout && { rollout_id: rollout.id }),
      ...(schedule && { schedule_id: schedule.id }),
    };
    const created = { action: 'create', entityType: 'run', entityId: runId, context } as const;
    // The response hides sites from a user without access. The audit log names them for owners.
    const refusals = planned.flatMap(({ task: { site_id }, refusal }) =>
      refusal && sites.has(site_id)
        ? [toAuditEntry({ run_id: runId, site_id, kind, request }, refusal)]
        : [],
    );
    await audit.record(trx, origin, [created, ...refusals]);
    getMeter()?.countRun(kind);
    return runId;
  }

  /** Each site is retried once. Of two concurrent retries, the second waits for this lock and finds the first. */
  async function lockAndFindRetriedSites(trx: Trx, runId: number): Promise<Map<number, Retry>> {
    await lockRuns(trx, [runId]);
    return findRetriedSites(trx, runId);
  }

  /** The run of another user exists for this user if it has a task on one of the user's sites. */
  async function findOrThrow(user: CurrentUser, runId: number): Promise<RunRow> {
    const run = await findRun(db, user, runId);
    if (!run) throw new AppError('run_not_found');
    return run;
  }

  async function findOwnOrThrow(user: CurrentUser, runId: number): Promise<RunRow> {
    const run = await findOrThrow(user, runId);
    if (!run.is_own) {
      throw new AppError('forbidden', {
        message:
          'Another user started this run. Ask that user or an owner, or start a new run on your sites.',
      });
    }
    return run;
  }

  /** Hides the results of sites that the user can no longer access. */
  async function toTaskViews(
    user: CurrentUser,
    run: RunRow,
    tasks: TaskRow[],
  ): Promise<TaskView[]> {
    const retried =
      run.retry_id === null ? new Map<number, Retry>() : await findRetriedSites(db, run.id);
    const ids = tasks.map(({ id }) => id);
    const watches = await readWatches(db, ids);
    const context = { retried, watches };
    if (user.role === 'owner') return tasks.map((task) => toTaskView(user, task, context));
    const siteIds = tasks.map(({ site_id }) => site_id);
    const visible = await siteAccess.filterVisible(user, siteIds);
    return tasks.map((task) =>
      visible.has(task.site_id)
        ? toTaskView(user, task, context)
        : toHiddenTaskView(user, task, run),
    );
  }

  /** Waits for a notification of the run, null: of any run; returns false on timeout or abort. */
  async function waitForChange(
    runId: number | null,
    milliseconds: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const notified = new AbortController();
    const stopListening = changes.on((payload) => {
      // An empty payload: the connection was interrupted, so notifications may be lost.
      if (payload === '' || runId === null || Number(payload) === runId) notified.abort();
    });
    const wakeUp = AbortSignal.any([notified.signal, signal]);
    await sleep(milliseconds, undefined, { signal: wakeUp }).catch(() => {});
    stopListening();
    return notified.signal.aborted;
  }
}
