import type { RunSummaryResponse } from '@steward/contract';
import { type Insertable, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Static } from 'typebox';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { type CurrentUser, isCreatedBy, isVisibleTo } from '../site-access/index.ts';
import { tables } from './database.ts';
import { hasSitesToRetry } from './retries.repository.ts';
import type { RunItem, RunTables, TaskStatus } from './tables.ts';
import { isTaskShared, visibleStatus } from './task-list.repository.ts';

type RunSummary = Static<typeof RunSummaryResponse>;

const READ_ITEM_LISTS_MAX = 20;

/** Run streams, requests that wait for a run, and the rollout engine listen on this channel. */
export const RUN_CHANNEL = 'steward_runs';

/** Reads the existing sites of a request, also those that the user may not see: the audit log names them for owners. */
export async function findRequestedSites(trx: Trx, user: CurrentUser, ids: number[]) {
  const rows = await tables(trx)
    .selectFrom('sites as s')
    .select(['s.id', 's.url', isVisibleTo(user, 's').as('is_visible')])
    .where('s.id', '=', sql<number>`ANY(${ids}::bigint[])`)
    .execute();
  return new Map(rows.map((site) => [site.id, site]));
}

export async function insertRun(trx: Trx, run: Insertable<RunTables['runs']>): Promise<number> {
  const row = await tables(trx)
    .insertInto('runs')
    .values(run)
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export type NewTask = Omit<Insertable<RunTables['run_tasks']>, 'run_id'>;

/** Inserts all tasks with one statement: a run may have ten thousand. */
export async function insertTasks(trx: Trx, runId: number, tasks: NewTask[]): Promise<void> {
  await sql`
    INSERT INTO run_tasks (run_id, position, site_id, site_url, items, held, status, code, error,
      finished_at, window_opens_at, window_closes_at)
    SELECT ${runId}, position, site_id, site_url, nullif(items, 'null'), nullif(held, 'null'), status, code,
      error, finished_at, window_opens_at, window_closes_at
    FROM jsonb_populate_recordset(NULL::run_tasks, ${JSON.stringify(tasks)}::jsonb)`.execute(trx);
}

export type UnfinishedTask = Awaited<ReturnType<typeof listUnfinishedTasks>>[number];

/** Lists the unfinished tasks of one run, or of all runs. */
export function listUnfinishedTasks(db: Database, runId?: number) {
  const tasks = tables(db)
    .selectFrom('run_tasks as t')
    .innerJoin('runs as r', 'r.id', 't.run_id')
    .leftJoin('sites as s', 's.id', 't.site_id')
    .select([
      't.id',
      't.run_id',
      't.site_id',
      't.site_url',
      't.status',
      't.attempt',
      't.dispatched_at',
      't.window_opens_at',
      'r.kind',
    ])
    // The IP address at the last call; null if the site was never called.
    .select(['s.address', 's.is_slow'])
    .where('t.finished_at', 'is', null)
    .orderBy('t.id');
  return (runId === undefined ? tasks : tasks.where('t.run_id', '=', runId)).execute();
}

/**
 * Every transaction that changes the status of tasks locks their runs first, ordered by id to prevent deadlocks. The
 * commit notifies the processes that follow these runs. The lock allows inserts of rows that refer to the run:
 * `FOR UPDATE` would let each of them wait.
 */
export function lockRuns(trx: Trx, ids: number[]) {
  return tables(trx)
    .selectFrom('runs')
    .selectAll()
    .where('id', '=', sql<number>`ANY(${ids}::bigint[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .select(sql`pg_notify(${RUN_CHANNEL}, id::text)`.as('notified'))
    .execute();
}

export type RunSelection =
  | { runId: number }
  /** The runs of the user and of their access tokens. */
  | { userId: number }
  | { scheduleId: number }
  | { rolloutIds: number[] };

/** The caller has locked the schedule or the rollouts of the selection, if any, so that they get no further run. */
export async function listUnfinishedRuns(trx: Trx, selection: RunSelection): Promise<number[]> {
  const runs = tables(trx).selectFrom('runs').select('id').where('finished_at', 'is', null);
  return (await runs.where(isSelected(selection)).execute()).map(({ id }) => id);
}

function isSelected(selection: RunSelection): RawBuilder<SqlBool> {
  if ('runId' in selection) return sql`id = ${selection.runId}`;
  if ('userId' in selection) return isCreatedBy({ id: selection.userId }, 'created_by');
  if ('scheduleId' in selection) return sql`schedule_id = ${selection.scheduleId}`;
  return sql`rollout_id = ANY(${selection.rolloutIds}::bigint[])`;
}

/** Lists the rollouts of the runs. */
export async function listRolloutIds(trx: Trx, runIds: number[]): Promise<number[]> {
  const rows = await tables(trx)
    .selectFrom('runs')
    .select('rollout_id')
    .distinct()
    .where('id', '=', sql<number>`ANY(${runIds}::bigint[])`)
    .execute();
  return rows.flatMap(({ rollout_id }) => rollout_id ?? []);
}

export type LockedRun = Omit<Awaited<ReturnType<typeof lockRuns>>[number], 'notified'>;

export async function markCancelled(trx: Trx, runId: number, now: Date): Promise<void> {
  await tables(trx)
    .updateTable('runs')
    .set({ cancelled_at: now })
    .where('id', '=', runId)
    .execute();
}

export async function isFinished(db: Database, id: number): Promise<boolean> {
  const run = tables(db).selectFrom('runs').select('finished_at').where('id', '=', id);
  return (await run.executeTakeFirst())?.finished_at != null;
}

export type RunRow = Awaited<ReturnType<typeof listRuns>>[number];

export async function findRun(
  db: Database,
  user: CurrentUser,
  id: number,
): Promise<RunRow | undefined> {
  return selectRuns(db, user).where('runs.id', '=', id).where(isListedFor(user)).executeTakeFirst();
}

export type RunPage = {
  /** Undefined matches all runs. */
  status: RunSummary['status'] | undefined;
  before: number;
  limit: number;
};

/** Owners see the runs of all users; other users see their own, and of the runs of others the tasks on their sites. */
export function listRuns(db: Database, user: CurrentUser, { before, status, limit }: RunPage) {
  const endsAt = finishedAt(user);
  return selectRuns(db, user)
    .where('runs.id', '<', before)
    .where(isListedFor(user))
    .$if(status === 'running', (query) =>
      // Finds the running runs through their index: streams repeat this query.
      query.where('runs.finished_at', 'is', null).where(endsAt, 'is', null),
    )
    .$if(status === 'finished', (query) => query.where(endsAt, 'is not', null))
    .orderBy('runs.id', 'desc')
    .limit(limit)
    .execute();
}

/** Returns the id of the newest run in the lists of the user. */
export async function findNewestRunId(db: Database, user: CurrentUser): Promise<number | null> {
  const newest = tables(db)
    .selectFrom('runs')
    .select('id')
    .where(isListedFor(user))
    .orderBy('id', 'desc')
    .limit(1);
  return (await newest.executeTakeFirst())?.id ?? null;
}

/**
 * The user's own runs, and those with a task on a site of the user. The array lists these sites once; PostgreSQL then looks
 * for each of them in the newest runs first. `OFFSET 0` keeps it from reading the tasks of all runs instead.
 */
const isListedFor = (user: CurrentUser): RawBuilder<SqlBool> =>
  user.role === 'owner'
    ? sql`true`
    : sql`(${isOwn(user)} OR EXISTS (
        SELECT FROM unnest(ARRAY(SELECT s.id FROM sites s WHERE ${isVisibleTo(user, 's')})) AS visible (id)
        JOIN run_tasks t ON t.run_id = runs.id AND t.site_id = visible.id
        WHERE t.site_url IS NOT NULL OFFSET 0))`;

const isOwn = (user: CurrentUser): RawBuilder<boolean> =>
  user.role === 'owner' ? sql`true` : sql`(${isCreatedBy(user, 'runs.created_by')} IS TRUE)`;

/** For a run of another user: when the last of its visible tasks finished. The end of the others stays hidden. */
function finishedAt(user: CurrentUser): RawBuilder<Date | null> {
  if (user.role === 'owner') return sql`runs.finished_at`;
  return sql`CASE WHEN ${isOwn(user)} THEN runs.finished_at ELSE (
    SELECT CASE WHEN bool_and(run_tasks.finished_at IS NOT NULL) THEN max(run_tasks.finished_at) END
    FROM run_tasks WHERE run_id = runs.id AND ${isTaskShared(user)}) END`;
}

/** The user of the access token that created a run, if the token is limited to sites. */
const botOf = (createdBy: 'runs.created_by' | 'later.created_by') =>
  sql<number | null>`(SELECT bot_of FROM users WHERE users.id = ${sql.ref(createdBy)})`;

/**
 * Adds the number of tasks per status, the site if the run has only one, the newest run that retries this run, and the
 * names of its schedule and rollout. Hides what the user may not see of a run, but selects the runs of all users.
 */
function selectRuns(db: Database, user: CurrentUser) {
  const status = visibleStatus(user);
  const isCounted =
    user.role === 'owner'
      ? sql<SqlBool>`true`
      : sql<SqlBool>`(${isOwn(user)} OR ${isTaskShared(user)})`;
  // Ended tasks are counted from an index, which is written once per task. Reading the rows would load
  // whole responses.
  const counts = sql<{ [status in TaskStatus]?: number }>`(
    SELECT coalesce(jsonb_object_agg(status, tasks), '{}') FROM (
      SELECT status, sum(tasks) AS tasks FROM (
        SELECT ${status} AS status, count(*) AS tasks FROM run_tasks
        WHERE run_id = runs.id AND finished_at IS NOT NULL AND ${isCounted} GROUP BY 1
        UNION ALL SELECT ${status}, count(*) FROM run_tasks
        WHERE run_id = runs.id AND finished_at IS NULL AND runs.finished_at IS NULL AND ${isCounted}
        GROUP BY 1
      ) AS ended_and_open GROUP BY status
    ) AS counted)`;
  const verifying = sql<number>`(
    SELECT count(*)::int FROM run_tasks
    WHERE run_id = runs.id AND finished_at IS NULL AND runs.finished_at IS NULL AND ${status} = 'unknown'
      AND ${isCounted})`;
  const site = sql<RunSummary['site']>`CASE WHEN runs.total = 1 OR NOT ${isOwn(user)} THEN (
    SELECT jsonb_build_object('site_id', min(site_id), 'site_url', min(site_url), 'site_name', coalesce(
      (SELECT site_label(s.display_name, s.url) FROM sites s WHERE s.id = min(site_id)),
      site_label(NULL, min(site_url)))) FROM run_tasks
    WHERE run_id = runs.id AND ${isTaskShared(user)} HAVING count(*) = 1) END`;
  // The request of another user can name items that are only on other sites.
  const sharedItems = sql<RunItem[] | null>`CASE WHEN NOT ${isOwn(user)} THEN (
    SELECT jsonb_agg(DISTINCT jsonb_build_object('type', item -> 'type', 'slug', item -> 'slug'))
    FROM (SELECT items FROM run_tasks WHERE run_id = runs.id AND items IS NOT NULL
        AND ${isTaskShared(user)} ORDER BY position LIMIT ${READ_ITEM_LISTS_MAX}) AS shared,
      jsonb_array_elements(shared.items) AS item) END`;
  const rollout = sql<RunSummary['rollout']>`(
    SELECT jsonb_build_object('rollout_id', ro.id, 'name', ro.name, 'ring', ri.name)
    FROM rollouts ro JOIN rollout_rings ri ON ri.rollout_id = ro.id
    WHERE ro.id = runs.rollout_id AND ri.position = runs.ring)`;
  return tables(db)
    .selectFrom('runs')
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('runs as later')
          .select(['later.id as retry_id', 'later.created_by as retry_created_by'])
          .select(botOf('later.created_by').as('retry_bot_of'))
          .whereRef('later.retry_of', '=', 'runs.id')
          .orderBy('later.id', 'desc')
          .limit(1)
          .as('retry'),
      (join) => join.onTrue(),
    )
    .selectAll('runs')
    .select([
      isOwn(user).as('is_own'),
      finishedAt(user).as('ends_at'),
      sharedItems.as('shared_items'),
    ])
    .select(['retry_id', 'retry_created_by', 'retry_bot_of', counts.as('counts'), site.as('site')])
    .select(verifying.as('verifying'))
    .select(botOf('runs.created_by').as('bot_of'))
    .select(
      sql<string | null>`(SELECT name FROM schedules WHERE id = runs.schedule_id)`.as(
        'schedule_name',
      ),
    )
    .select(rollout.as('rollout'))
    .select(hasSitesToRetry(user).as('has_sites_to_retry'));
}

export async function countUnfinishedRuns(db: Database): Promise<number> {
  const { unfinished } = await tables(db)
    .selectFrom('runs')
    .select((eb) => eb.fn.countAll<number>().as('unfinished'))
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  return unfinished;
}
