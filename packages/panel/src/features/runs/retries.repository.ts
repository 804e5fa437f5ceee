import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';
import { tables } from './database.ts';
import type { RetriableTask } from './retried-items.ts';

/**
 * Of the refused tasks, only `site_not_active` is retriable: the license may be valid again. The panel would refuse the
 * others again, for example because the user cannot see the site or because a rule holds the version back.
 */
const IS_RETRIABLE = sql<SqlBool>`(run_tasks.status IN ('failed', 'partial', 'unknown', 'cancelled')
  OR run_tasks.code = 'site_not_active')`;

/** Lists the retriable tasks of a run in the order of the request, including those already retried. */
export async function listRetriableTasks(db: Database, runId: number): Promise<RetriableTask[]> {
  return tables(db)
    .selectFrom('run_tasks')
    .select(['site_id', 'items', SUCCEEDED_ITEMS.as('succeeded')])
    .where('run_id', '=', runId)
    .where(IS_RETRIABLE)
    .orderBy('position')
    .execute();
}

const slugsOf = (type: string) =>
  sql`jsonb_path_query_array(details, ${sql.lit(`$.results.${type}[*] ? (@.success == true).slug`)})`;

/** Read in the database, because the details of ten thousand tasks do not fit into the memory of the panel. */
const SUCCEEDED_ITEMS = sql<RetriableTask['succeeded']>`CASE WHEN status = 'partial'
  THEN jsonb_build_object('plugin', ${slugsOf('plugins')}, 'theme', ${slugsOf('themes')},
    'translation', ${slugsOf('translations')},
    'core', CASE WHEN details @> '{"results": {"core": {"success": true}}}' THEN '["core"]'::jsonb ELSE '[]'::jsonb END)
  END`;

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
