import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';
import { tables } from './database.ts';

/**
 * Of the refused tasks, only `site_not_active` is retriable: the license may be valid again. The panel would refuse the
 * others again, for example because the user cannot see the site or because a rule holds the version back.
 */
const IS_RETRIABLE = sql<SqlBool>`(run_tasks.status IN ('failed', 'partial', 'unknown', 'cancelled')
  OR run_tasks.code = 'site_not_active')`;

/** Lists the sites of a run whose tasks are retriable, in the order of the request, including those already retried. */
export async function listRetriableSites(db: Database, runId: number): Promise<number[]> {
  const rows = await tables(db)
    .selectFrom('run_tasks')
    .select('site_id')
    .where('run_id', '=', runId)
    .where(IS_RETRIABLE)
    .orderBy('position')
    .execute();
  return rows.map(({ site_id }) => site_id);
}

export type Retry = { run_id: number; created_by: number | null; bot_of: number | null };

/** Finds the retried sites of a run, each with the run that retried it. */
export async function findRetriedSites(db: Database, runId: number): Promise<Map<number, Retry>> {
  const rows = await tables(db)
    .selectFrom('runs')
    .innerJoin('run_tasks', 'run_tasks.run_id', 'runs.id')
    .leftJoin('users', 'users.id', 'runs.created_by')
    .select(['run_tasks.site_id', 'run_tasks.run_id', 'runs.created_by', 'users.bot_of'])
    .where('runs.retry_of', '=', runId)
    .execute();
  return new Map(rows.map(({ site_id, ...retry }) => [site_id, retry]));
}

/** For a run with a retry: whether the user can retry further sites. Null for a run without a retry. */
export function hasSitesToRetry(user: CurrentUser): RawBuilder<boolean | null> {
  return sql`CASE WHEN retry_id IS NOT NULL THEN EXISTS (
    SELECT 1 FROM run_tasks JOIN sites s ON s.id = run_tasks.site_id
    WHERE run_tasks.run_id = runs.id AND ${IS_RETRIABLE} AND ${isVisibleTo(user, 's')}
      AND run_tasks.site_id NOT IN (
        SELECT t.site_id FROM runs r JOIN run_tasks t ON t.run_id = r.id WHERE r.retry_of = runs.id)) END`;
}
