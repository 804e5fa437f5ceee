import type { Inventory, StoredLicenseStatus } from '@steward/contract';
import { type Selectable, sql } from 'kysely';
import type { Database, Trx } from '../../../platform/database/handles.ts';
import { inventoryIfWithinLimit } from '../../sites/index.ts';
import { tables } from '../database.ts';
import { countsOf, type TaskResult } from '../outcome/task-outcome.ts';
import type { RunTables, TaskStatus } from '../tables.ts';
import { releaseSite } from './site-calls.repository.ts';

/** Omits `pending_before`: a dispatch reads up to 200 tasks, and few of them need it. */
const TASK_COLUMNS = [
  'id',
  'run_id',
  'site_id',
  'attempt',
  'status',
  'dispatched_at',
  'http_status',
  'code',
  'error',
  'items',
  'held',
  'window_opens_at',
  'window_closes_at',
] as const;

/** A task with the values that decide whether and how to call its site. */
export type OpenTask = Pick<Selectable<RunTables['run_tasks']>, (typeof TASK_COLUMNS)[number]> &
  Pick<
    Selectable<RunTables['runs']>,
    'kind' | 'request' | 'origin' | 'traceparent' | 'created_by' | 'schedule_id'
  > &
  SiteToCall & {
    /** Seconds since the call that may have reached the site, and since its response was lost. */
    since_call: number;
    since_loss: number;
  };

/** All fields are null if the site has no activation. */
type SiteToCall = {
  url: string | null;
  endpoint_url: string | null;
  approved_endpoint_url: string | null;
  address: string | null;
  inventory_at: Date | null;
  license_key_encrypted: Buffer | null;
  site_key_encrypted: Buffer | null;
  key_ends_at: Date | null;
  proven_at: Date | null;
  proven_endpoint_url: string | null;
  web_login_encrypted: Buffer | null;
  checked_pages: string[] | null;
  activation_status: string | null;
  license_status: StoredLicenseStatus | null;
  expires_at: Date | null;
  capabilities: string[] | null;
};

const TASK_FIELDS = sql.join(TASK_COLUMNS.map((column) => sql.ref(`t.${column}`)));

/**
 * Reads the unfinished tasks. To dispatch them, the caller must lock their runs first. `OFFSET 0` forces key look-ups:
 * without statistics, as in a new fleet, the planner would join whole tables.
 */
export async function readOpenTasks(trx: Trx, taskIds: number[]): Promise<OpenTask[]> {
  const { rows } = await sql<OpenTask>`
    SELECT ${TASK_FIELDS}, r.kind, r.request, r.origin, r.traceparent, r.created_by, r.schedule_id, site.*,
      coalesce(extract(epoch FROM clock_timestamp() - t.dispatched_at), 0)::float8 AS since_call,
      coalesce(extract(epoch FROM clock_timestamp() - t.lost_at), 0)::float8 AS since_loss
    FROM unnest(${taskIds}::bigint[]) AS wanted (id)
    JOIN LATERAL (SELECT * FROM run_tasks WHERE id = wanted.id OFFSET 0) t ON t.finished_at IS NULL
    JOIN runs r ON r.id = t.run_id
    LEFT JOIN LATERAL (
      SELECT s.url, s.endpoint_url, s.approved_endpoint_url, s.address, s.inventory_at, s.web_login_encrypted, s.checked_pages,
        a.license_key_encrypted, a.site_key_encrypted, a.key_ends_at,
        a.proven_at, a.proven_endpoint_url,
        a.status AS activation_status, l.status AS license_status, l.expires_at, a.capabilities
      FROM sites s
      JOIN license_activations a ON a.site_id = s.id
      JOIN licenses l ON l.id = s.license_id
      WHERE s.id = t.site_id
      OFFSET 0
    ) site ON true`.execute(trx);
  return rows;
}

/** Reads the inventory that the site reported before the call; null if there is none or it is too large. */
export async function readInventoryBefore(db: Database, taskId: number): Promise<Inventory | null> {
  const query = tables(db).selectFrom('run_tasks').where('id', '=', taskId);
  const row = await query
    .select(inventoryIfWithinLimit('pending_before').as('pending_before'))
    .executeTakeFirst();
  return row?.pending_before ?? null;
}

type Dispatch = {
  task: Pick<OpenTask, 'id'>;
  /** Whether the call is a sync that reconciles an earlier call. */
  reconciles: boolean;
};

/** Records the calls before the first byte is sent: from then on the site may have acted. */
export async function recordDispatches(trx: Trx, calls: Dispatch[], now: Date): Promise<void> {
  if (calls.length === 0) return;
  const ids = calls.map(({ task }) => task.id);
  const reconciling = calls.filter((call) => call.reconciles).map(({ task }) => task.id);
  const reconciles = sql`t.id = ANY(${reconciling}::bigint[])`;
  await sql`
    UPDATE run_tasks t SET
      status = CASE WHEN ${reconciles} THEN 'unknown' ELSE 'running' END,
      dispatched_at = CASE WHEN ${reconciles} THEN t.dispatched_at ELSE clock_timestamp() END,
      lost_at = CASE WHEN ${reconciles} THEN coalesce(t.lost_at, now()) END,
      pending_before = CASE WHEN ${reconciles} THEN t.pending_before
        ELSE (SELECT s.inventory FROM sites s WHERE s.id = t.site_id) END,
      started_at = coalesce(t.started_at, ${now}::timestamptz),
      change = nextval('run_changes')
    WHERE t.id = ANY(${ids}::bigint[])`.execute(trx);
}

/** The state of the last call when its task is released. */
export type CallState =
  /** The recorded state applies: a dispatched call counts as lost with its worker. */
  | 'unchanged'
  /** No byte was sent, the site refused the call, or the call was a sync, which changes nothing. */
  | 'not_called'
  /** The response was lost; the site may have acted. */
  | Pick<TaskResult, 'http_status' | 'code' | 'error'>;

/** Starts the next attempt and returns the status; null if the task has ended or has a newer attempt (fencing). */
export async function beginNextAttempt(
  trx: Trx,
  { taskId, attempt }: { taskId: number; attempt: number },
  callState: CallState,
): Promise<TaskStatus | null> {
  const task = await tables(trx)
    .updateTable('run_tasks')
    .set({ change: NEXT_CHANGE, ...changesFor(callState), attempt: attempt + 1 })
    .where('id', '=', taskId)
    .where('attempt', '=', attempt)
    .where('finished_at', 'is', null)
    .returning('status')
    .executeTakeFirst();
  if (!task) return null;
  // No other task may change the site while the outcome of a call is unknown.
  await releaseSite(trx, taskId, { hasLostCall: task.status === 'unknown' });
  return task.status;
}

const NEXT_CHANGE = sql<number>`nextval('run_changes')`;

function changesFor(callState: CallState) {
  if (callState === 'unchanged') {
    return {
      status: sql<TaskStatus>`CASE WHEN dispatched_at IS NULL THEN 'queued' ELSE 'unknown' END`,
      lost_at: sql<Date>`CASE WHEN dispatched_at IS NOT NULL THEN coalesce(lost_at, now()) END`,
      change: sql<number>`CASE WHEN status = 'running' THEN ${NEXT_CHANGE} ELSE change END`,
    };
  }
  if (callState === 'not_called') {
    return { status: 'queued', dispatched_at: null, lost_at: null } as const;
  }
  const { http_status, code, error } = callState;
  const lost_at = sql<Date>`coalesce(lost_at, now())`;
  return { status: 'unknown', lost_at, http_status, code, error } as const;
}

export type EndedTask = TaskResult & { id: number; attempt: number };

/**
 * Saves the results of tasks, counts down the open tasks of their runs, and unblocks their sites.
 * Returns the ids of the tasks whose attempt number still matched (fencing).
 */
export async function endTasks(trx: Trx, tasks: EndedTask[], now: Date): Promise<Set<number>> {
  const rows = tasks.map((task) => {
    const { plugins, themes, core } = countsOf(task);
    return {
      ...task,
      plugins_updated: plugins.updated,
      plugins_failed: plugins.failed,
      themes_updated: themes.updated,
      themes_failed: themes.failed,
      core_updated: core.updated,
      core_failed: core.failed,
    };
  });
  const ended = await sql<{ id: number }>`
    WITH ended AS (
      UPDATE run_tasks t
      SET status = e.status, http_status = e.http_status, code = e.code, error = e.error,
        details = e.details, notes = coalesce(e.notes, '{}'),
        plugins_updated = e.plugins_updated, plugins_failed = e.plugins_failed,
        themes_updated = e.themes_updated, themes_failed = e.themes_failed,
        core_updated = e.core_updated, core_failed = e.core_failed,
        pages_compared = e.pages_compared, pages_planned = e.pages_planned,
        finished_at = ${now}::timestamptz, change = nextval('run_changes')
      FROM jsonb_populate_recordset(NULL::run_tasks, ${JSON.stringify(rows)}::jsonb) e
      WHERE t.id = e.id AND t.attempt = e.attempt AND t.finished_at IS NULL
      RETURNING t.id, t.run_id, t.site_id
    ), counted AS (
      UPDATE runs r SET open_tasks = r.open_tasks - run.ended,
        finished_at = CASE WHEN r.open_tasks = run.ended THEN ${now}::timestamptz END
      FROM (SELECT run_id, count(*) AS ended FROM ended GROUP BY run_id) run
      WHERE r.id = run.run_id
    ), unblocked_sites AS (
      DELETE FROM site_calls c USING ended e WHERE c.site_id = e.site_id AND c.task_id = e.id
    )
    SELECT id FROM ended`.execute(trx);
  return new Set(ended.rows.map(({ id }) => id));
}

export function listCancelledTasks(db: Database, runId: number) {
  const tasks = tables(db)
    .selectFrom('run_tasks')
    .select(['id', 'attempt'])
    .where('run_id', '=', runId);
  return tasks.where('status', '=', 'cancelled').where('finished_at', 'is not', null).execute();
}
