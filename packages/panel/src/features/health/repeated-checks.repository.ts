import type { SiteObservation, Trouble } from '@steward/contract';
import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import { SERVER } from './reachability.repository.ts';

/** The times of the checks after an update: soon, and when caches have expired and cron jobs have run. */
export const REPEATED_CHECK_SECONDS = [60, 600, 3600];

/** A site that has reported errors within this time is not asked to report. */
const RECENT_REPORT_SECONDS = 30;

/** A worker that dies leaves its claimed checks to other workers after this time. */
const CLAIM_SECONDS = 120;

/** Requests checks of the sites of these tasks. A second request for a task has no effect. */
export async function requestRepeatedChecks(
  trx: Trx,
  taskIds: number[],
  now: Date,
  delaysSeconds: number[] = REPEATED_CHECK_SECONDS,
): Promise<void> {
  if (taskIds.length === 0) return;
  await sql`
    INSERT INTO repeated_checks (task_id, run_id, site_id, due_at, delay_seconds)
    SELECT t.id, t.run_id, t.site_id, ${now}::timestamptz + make_interval(secs => delay), delay
    FROM run_tasks t CROSS JOIN unnest(${delaysSeconds}::integer[]) AS delay
    WHERE t.id = ANY(${taskIds}::bigint[])
    ON CONFLICT DO NOTHING`.execute(trx);
}

/**
 * Requests a check of a site that is up again, if an update of it is watched: the errors of the time down are not reported
 * yet.
 */
export async function requestCheckOfWatchedSite(
  trx: Trx,
  siteId: number,
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO repeated_checks (task_id, run_id, site_id, due_at, delay_seconds)
    SELECT task_id, run_id, site_id, ${now}, extract(epoch FROM ${now}::timestamptz - started_at)::integer
    FROM update_watches WHERE site_id = ${siteId} AND until > ${now} ORDER BY started_at DESC LIMIT 1
    ON CONFLICT DO NOTHING`.execute(trx);
}

/** Counts the requested checks of a run that are not done yet. */
export async function countOpenChecks(db: Database | Trx, runId: number): Promise<number> {
  const { open } = await tables(db)
    .selectFrom('repeated_checks')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('run_id', '=', runId)
    .where('done_at', 'is', null)
    .executeTakeFirstOrThrow();
  return open;
}

/** A check that is overdue for longer no longer delays a rollout: otherwise the rollout could wait forever. */
const OVERDUE_MAX_MINUTES = 30;

/** Whether a check of these runs is due by the given time and not done yet. */
export async function hasOpenChecks(
  trx: Trx,
  runIds: number[],
  { dueBy, now }: { dueBy: Date; now: Date },
): Promise<boolean> {
  const open = await tables(trx)
    .selectFrom('repeated_checks')
    .select('id')
    .where('run_id', '=', sql<number>`ANY(${runIds}::bigint[])`)
    .where('done_at', 'is', null)
    .where('due_at', '<=', dueBy)
    .where('due_at', '>', new Date(now.getTime() - OVERDUE_MAX_MINUTES * 60_000))
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

export type DueCheck = {
  id: number;
  site_id: number;
  before: SiteObservation | null;
  /** The site can report errors, and has not done so just now. */
  asks_for_errors: boolean;
};

/**
 * Claims due checks, a few of each server. Skips sites that a run calls now, because the check would see an unfinished
 * change.
 */
export async function claimDueChecks(
  db: Database,
  now: Date,
  { total, perServer }: { total: number; perServer: number },
): Promise<DueCheck[]> {
  const { rows } = await sql<DueCheck>`
    WITH busy AS (
      SELECT server, count(*) AS running FROM (
        SELECT address AS server FROM site_calls
        UNION ALL
        SELECT ${SERVER} FROM repeated_checks c JOIN sites s ON s.id = c.site_id
        WHERE c.done_at IS NULL AND c.claimed_until > ${now}::timestamptz) AS requests
      GROUP BY server
    ), waiting AS (
      SELECT c.id, c.due_at, coalesce(busy.running, 0)
        + row_number() OVER (PARTITION BY ${SERVER} ORDER BY c.due_at) AS place
      FROM repeated_checks c JOIN sites s ON s.id = c.site_id
      LEFT JOIN busy ON busy.server = ${SERVER}
      WHERE c.done_at IS NULL AND c.due_at <= ${now}::timestamptz
        AND (c.claimed_until IS NULL OR c.claimed_until <= ${now}::timestamptz)
        AND NOT EXISTS (SELECT FROM site_calls call WHERE call.site_id = c.site_id)
    ), due AS (
      SELECT id FROM repeated_checks
      WHERE id IN (SELECT id FROM waiting WHERE place <= ${perServer})
        AND done_at IS NULL AND (claimed_until IS NULL OR claimed_until <= ${now}::timestamptz)
      ORDER BY due_at LIMIT ${Math.max(total, 0)} FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE repeated_checks c SET claimed_until = ${now}::timestamptz + make_interval(secs => ${CLAIM_SECONDS})
      FROM due WHERE c.id = due.id RETURNING c.id, c.task_id, c.site_id
    )
    SELECT c.id, c.site_id, h.before,
      EXISTS (SELECT FROM license_activations a
        WHERE a.site_id = c.site_id AND a.status = 'active' AND a.capabilities @> '{item_errors}')
      AND NOT EXISTS (SELECT FROM item_error_reports r WHERE r.site_id = c.site_id
        AND r.reported_at > ${now}::timestamptz - make_interval(secs => ${RECENT_REPORT_SECONDS})) AS asks_for_errors
    FROM claimed c
    LEFT JOIN task_health h ON h.task_id = c.task_id`.execute(db);
  return rows;
}

export async function isCalledNow(db: Database, siteId: number): Promise<boolean> {
  const call = tables(db).selectFrom('site_calls').select('site_id').where('site_id', '=', siteId);
  return (await call.executeTakeFirst()) !== undefined;
}

/** `after` is null if the site was disconnected meanwhile. */
export async function finishCheck(
  db: Database,
  id: number,
  result: { after: SiteObservation | null; troubles: Trouble[] },
  now: Date,
): Promise<void> {
  await tables(db)
    .updateTable('repeated_checks')
    .set({
      after: result.after,
      troubles: JSON.stringify(result.troubles) as unknown as Trouble[],
      done_at: now,
    })
    .where('id', '=', id)
    .where('done_at', 'is', null)
    .execute();
}
