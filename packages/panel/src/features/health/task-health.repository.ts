import type { SiteObservation, Trouble } from '@steward/contract';
import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

export type WatchedTask = { id: number; run_id: number; site_id: number };

/** Stores the observations before updates. They replace those of earlier attempts. */
export async function storeBefore(
  trx: Trx,
  observed: { task: WatchedTask; before: SiteObservation }[],
  now: Date,
): Promise<void> {
  if (observed.length === 0) return;
  const rows = observed.map(({ task: { id, run_id, site_id }, before }) => ({
    task_id: id,
    run_id,
    site_id,
    before,
  }));
  await sql`
    INSERT INTO task_health (task_id, run_id, site_id, before, observed_at)
    SELECT r.task_id, r.run_id, r.site_id, r.before, ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS r (task_id bigint, run_id bigint, site_id bigint, before jsonb)
    ON CONFLICT (task_id) DO UPDATE SET before = excluded.before, observed_at = excluded.observed_at`.execute(
    trx,
  );
}

export async function readBefore(db: Database, taskId: number): Promise<SiteObservation | null> {
  const query = tables(db).selectFrom('task_health').select('before').where('task_id', '=', taskId);
  return (await query.executeTakeFirst())?.before ?? null;
}

export type TaskHealth = { after: SiteObservation; troubles: Trouble[] };

/** Stores the observations after updates, in the transaction that stores the results of the tasks. */
export async function storeAfter(
  trx: Trx,
  results: (TaskHealth & { task: WatchedTask })[],
  now: Date,
): Promise<void> {
  if (results.length === 0) return;
  const rows = results.map(({ task: { id, run_id, site_id }, after, troubles }) => ({
    task_id: id,
    run_id,
    site_id,
    after,
    troubles,
  }));
  await sql`
    INSERT INTO task_health (task_id, run_id, site_id, after, troubles, observed_at)
    SELECT r.task_id, r.run_id, r.site_id, r.after, r.troubles, ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS r (task_id bigint, run_id bigint, site_id bigint, after jsonb, troubles jsonb)
    ON CONFLICT (task_id) DO UPDATE SET after = excluded.after, troubles = excluded.troubles,
      observed_at = excluded.observed_at`.execute(trx);
}

export type TaskTrouble = {
  task_id: number;
  site_id: number;
  /** Null: found directly after the update. Otherwise the delay of the repeated check that found it. */
  delay_seconds: number | null;
  at: Date;
  troubles: Trouble[];
};

/** Lists the tasks of a run whose sites work worse than before their update, one row per check. */
export async function listTroubles(db: Database | Trx, runId: number): Promise<TaskTrouble[]> {
  const { rows } = await sql<TaskTrouble>`
    SELECT task_id, site_id, NULL::integer AS delay_seconds, observed_at AS at, troubles
    FROM task_health WHERE run_id = ${runId} AND troubles <> '[]'
    UNION ALL
    SELECT task_id, site_id, delay_seconds, done_at AS at, troubles
    FROM repeated_checks WHERE run_id = ${runId} AND done_at IS NOT NULL AND troubles <> '[]'
    ORDER BY task_id, delay_seconds NULLS FIRST`.execute(db);
  return rows;
}
