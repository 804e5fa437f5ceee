import type { Inventory } from '@steward/contract';
import { sql } from 'kysely';
import type { Database, RunKind, TaskStatus, Trx } from '../../database/tables.ts';
import { isSurelyHeld, type TakenJob } from '../../lib/queue.ts';
import type { SiteStanding } from './site-standing.ts';
import type { TaskResult, UpdateCounts } from './task-result.ts';

/** A task, with what decides whether it may be done. */
export type TaskToDo = {
  id: number;
  run_id: number;
  site_id: number;
  status: TaskStatus;
  attempt: number;
  called_at: Date | null;
  finished_at: Date | null;
  pending_before: Inventory | null;
  kind: RunKind;
  request: Record<string, string>;
  origin: Record<string, unknown>;
  inventory: Inventory | null;
} & SiteStanding;

/** How the panel calls a site. */
export type SiteToCall = {
  url: string;
  endpoint_url: string | null;
  license_key_encrypted: Buffer;
};

export async function runsOf(trx: Trx, taskIds: number[]): Promise<number[]> {
  const rows = await trx
    .selectFrom('run_tasks')
    .select('run_id')
    .distinct()
    .where('id', '=', sql<number>`ANY(${taskIds}::bigint[])`)
    .execute();
  return rows.map(({ run_id }) => run_id);
}

export function unfinishedTasks(trx: Trx) {
  return trx
    .selectFrom('run_tasks as t')
    .innerJoin('runs as r', 'r.id', 't.run_id')
    .select(['t.id', 't.run_id', 't.site_url', 'r.kind'])
    .where('t.finished_at', 'is', null)
    .orderBy('t.id')
    .execute();
}

export async function readTasks(trx: Trx, taskIds: number[]): Promise<TaskToDo[]> {
  return trx
    .selectFrom('run_tasks as t')
    .innerJoin('runs as r', 'r.id', 't.run_id')
    .leftJoin('sites as s', 's.id', 't.site_id')
    .leftJoin('license_activations as a', 'a.site_id', 's.id')
    .leftJoin('licenses as l', 'l.id', 's.license_id')
    .select([
      't.id',
      't.run_id',
      't.site_id',
      't.status',
      't.attempt',
      't.called_at',
      't.finished_at',
      't.pending_before',
      'r.kind',
      'r.request',
      'r.origin',
      's.inventory',
      'a.status as activation_status',
      'l.status as license_status',
      'l.expires_at',
    ])
    .where('t.id', '=', sql<number>`ANY(${taskIds}::bigint[])`)
    .execute();
}

/** Gives the tasks whose sites nobody else is calling; from now on those are ours. */
export async function takeSites(
  trx: Trx,
  tasks: { id: number; site_id: number }[],
  worker: string,
): Promise<Set<number>> {
  if (tasks.length === 0) return new Set();
  const { rows } = await sql<{ task_id: number }>`
    INSERT INTO site_calls (site_id, task_id, worker)
    SELECT DISTINCT ON (site_id) site_id, task_id, ${worker}
    FROM unnest(${tasks.map((task) => task.site_id)}::bigint[], ${tasks.map((task) => task.id)}::bigint[])
      AS wanted (site_id, task_id)
    -- Of two tasks of one site, the one that has it already: the other cannot have it anyway.
    ORDER BY site_id, EXISTS (SELECT FROM site_calls c
      WHERE c.site_id = wanted.site_id AND c.task_id = wanted.task_id) DESC, task_id
    -- A task may take over from itself: its former worker is gone, or its job would not have come back.
    ON CONFLICT (site_id) DO UPDATE SET worker = excluded.worker
      WHERE site_calls.task_id = excluded.task_id
    RETURNING task_id`.execute(trx);
  return new Set(rows.map(({ task_id }) => task_id));
}

/** From now on they are this worker's; the site has not been called yet. */
export async function beginTasks(trx: Trx, taskIds: number[], now: Date): Promise<void> {
  if (taskIds.length === 0) return;
  await sql`
    UPDATE run_tasks t
    SET status = CASE WHEN t.called_at IS NULL THEN 'running' ELSE 'unknown' END,
      attempt = t.attempt + 1,
      started_at = coalesce(t.started_at, ${now}::timestamptz),
      pending_before = CASE WHEN t.called_at IS NULL THEN s.inventory ELSE t.pending_before END,
      change = nextval('run_changes')
    FROM sites s
    WHERE s.id = t.site_id AND t.id = ANY(${taskIds}::bigint[])`.execute(trx);
}

/**
 * Notes, before the first byte goes out, that the site may have been called. Gives the sites of those
 * tasks that are still this worker's, with a job that nobody is about to take over, and may be called
 * at this moment: since a task was claimed its site may have gone, or its license ended. One
 * statement, because a call waits for it.
 */
export async function noteCalls(
  db: Database,
  calls: { task: { id: number; attempt: number; site_id: number }; job: TakenJob }[],
  now: Date,
): Promise<Map<number, SiteToCall>> {
  // In this order they are locked, here and by whoever cancels them.
  const inOrder = calls.toSorted((one, other) => one.task.id - other.task.id);
  const { rows } = await sql<SiteToCall & { id: number }>`
    UPDATE run_tasks t
    SET called_at = ${now}::timestamptz
    FROM unnest(
        ${inOrder.map(({ task }) => task.id)}::bigint[],
        ${inOrder.map(({ task }) => task.attempt)}::integer[],
        ${inOrder.map(({ task }) => task.site_id)}::bigint[],
        ${inOrder.map(({ job }) => job.id)}::uuid[],
        ${inOrder.map(({ job }) => job.taking)}::integer[])
      AS mine (id, attempt, site_id, job_id, taking)
    CROSS JOIN LATERAL (
      SELECT s.url, s.endpoint_url, a.license_key_encrypted
      FROM sites s
      JOIN license_activations a ON a.site_id = s.id
      JOIN licenses l ON l.id = s.license_id
      WHERE s.id = mine.site_id
        -- The same as isActive().
        AND a.status = 'active' AND l.status = 'active'
        AND (l.expires_at IS NULL OR l.expires_at > ${now}::timestamptz)
      -- Keeps the planner from looking through all sites of a license for these few: it has no
      -- statistics yet of a fleet that is new.
      OFFSET 0
    ) site
    WHERE t.id = mine.id AND t.attempt = mine.attempt AND t.finished_at IS NULL
      AND ${isSurelyHeld(sql`mine.job_id`, sql`mine.taking`)}
    RETURNING t.id, site.url, site.endpoint_url, site.license_key_encrypted`.execute(db);
  return new Map(rows.map(({ id, ...site }) => [id, site]));
}

/** Those of the tasks that are still this worker's, whatever became of their sites. */
export async function stillOurs(
  db: Database,
  tasks: { id: number; attempt: number }[],
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    SELECT t.id FROM run_tasks t
    JOIN unnest(${tasks.map(({ id }) => id)}::bigint[], ${tasks.map(({ attempt }) => attempt)}::integer[])
      AS mine (id, attempt) ON t.id = mine.id AND t.attempt = mine.attempt
    WHERE t.finished_at IS NULL`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/**
 * No byte of the call went out after all. Only what was noted by then: this may come late, over a
 * connection that was given up, when the site is being called.
 */
export async function forgetCall(
  trx: Trx,
  { id, attempt }: { id: number; attempt: number },
  notedBy: Date,
): Promise<void> {
  await trx
    .updateTable('run_tasks')
    .set({ called_at: null })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('finished_at', 'is', null)
    .where('called_at', '<=', notedBy)
    .execute();
}

export type FinishedTask = {
  id: number;
  attempt: number;
  result: TaskResult;
  counts: UpdateCounts;
};

/** Writes how tasks have ended, and gives those that were still ours to end. */
export async function endTasks(trx: Trx, tasks: FinishedTask[], now: Date): Promise<Set<number>> {
  if (tasks.length === 0) return new Set();
  const rows = tasks.map(({ id, attempt, result, counts }) => ({
    id,
    attempt,
    ...result,
    plugins_updated: counts.plugins.updated,
    plugins_failed: counts.plugins.failed,
    themes_updated: counts.themes.updated,
    themes_failed: counts.themes.failed,
    core_updated: counts.core.updated,
    core_failed: counts.core.failed,
  }));
  const ended = await sql<{ id: number }>`
    UPDATE run_tasks t
    SET status = e.status, http_status = e.http_status, code = e.code, error = e.error,
      details = e.details,
      plugins_updated = e.plugins_updated, plugins_failed = e.plugins_failed,
      themes_updated = e.themes_updated, themes_failed = e.themes_failed,
      core_updated = e.core_updated, core_failed = e.core_failed,
      finished_at = ${now}::timestamptz, change = nextval('run_changes')
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS e (
      id bigint, attempt integer, status text, http_status integer, code text, error text,
      details jsonb, plugins_updated integer, plugins_failed integer, themes_updated integer,
      themes_failed integer, core_updated integer, core_failed integer)
    WHERE t.id = e.id AND t.attempt = e.attempt AND t.finished_at IS NULL
    RETURNING t.id`.execute(trx);
  return new Set(ended.rows.map(({ id }) => id));
}

/** The call was lost, and what became of it is being looked up. */
export async function markUnknown(trx: Trx, id: number, attempt: number): Promise<void> {
  await trx
    .updateTable('run_tasks')
    .set({ status: 'unknown', change: sql<number>`nextval('run_changes')` })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('finished_at', 'is', null)
    .execute();
}

export async function leaveSites(trx: Trx, taskIds: number[]): Promise<void> {
  // In the order in which they are taken, so that nobody waits for another in a circle.
  await sql`
    DELETE FROM site_calls WHERE site_id IN (
      SELECT site_id FROM site_calls WHERE task_id = ANY(${taskIds}::bigint[])
      ORDER BY site_id FOR UPDATE)`.execute(trx);
}
