import type { UpdatesOfDay } from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';

/** The index `run_tasks_by_update_time` has the same condition. */
const HAS_UPDATES = sql`plugins_updated + themes_updated + core_updated
  + plugins_failed + themes_failed + core_failed > 0`;

/** Installations and restores are not updates. The index `runs_without_updates` has the same condition. */
const IS_UPDATE = sql`(run_id NOT IN (
  SELECT id FROM runs WHERE kind IN ('install', 'restore'))) IS TRUE`;

/**
 * Counts the updates of each day in UTC, on the sites that the user may see, in the runs of all users. Days without
 * updates are missing.
 */
export async function countUpdatesByDay(
  db: Database,
  user: CurrentUser,
  { from, before }: { from: Date; before: Date },
): Promise<UpdatesOfDay[]> {
  // IS TRUE keeps the planner from joining: it would read all tasks of the sites instead of those of the days.
  const isVisible =
    user.role === 'owner'
      ? sql`true`
      : sql`(site_id IN (SELECT s.id FROM sites s WHERE ${isVisibleTo(user, 's')})) IS TRUE`;
  const { rows } = await sql<UpdatesOfDay>`
    SELECT (finished_at AT TIME ZONE 'UTC')::date::text AS day,
      sum(plugins_updated + themes_updated + core_updated) AS succeeded,
      sum(plugins_failed + themes_failed + core_failed) AS failed
    FROM run_tasks
    WHERE finished_at >= ${from} AND finished_at < ${before} AND ${HAS_UPDATES} AND ${IS_UPDATE}
      AND ${isVisible}
    GROUP BY (finished_at AT TIME ZONE 'UTC')::date`.execute(db);
  return rows;
}
