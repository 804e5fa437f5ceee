import type { WatchError, WatchState } from '@steward/contract';
import { type Selectable, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { ItemReference, ReleaseHealthTables } from './tables.ts';

/** An item that a task has updated. */
export type UpdatedItem = ItemReference & {
  name: string;
  from_version: string | null;
  to_version: string;
};

export type UpdatedTask = { id: number; items: UpdatedItem[] };

/** Decided watches are kept for this time. */
const KEPT_DAYS = 90;
/** A report that arrives after the end of a watch still counts for this time: errors happened before. */
export const LATE_REPORT_HOURS = 24;

/** Starts the watches of updated items, in the transaction that saves the results of the tasks. */
export async function startWatches(
  trx: Trx,
  tasks: UpdatedTask[],
  { now, until }: { now: Date; until: Date },
): Promise<void> {
  const rows = tasks.flatMap(({ id, items }) => items.map((item) => ({ task_id: id, ...item })));
  if (rows.length === 0) return;
  await sql`
    INSERT INTO update_watches (task_id, type, slug, run_id, site_id, name, from_version, to_version, started_at, until)
    SELECT t.id, i.type, i.slug, t.run_id, t.site_id, i.name, i.from_version, i.to_version,
      coalesce(t.started_at, ${now}::timestamptz), ${until}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS i (task_id bigint, type text, slug text, name text, from_version text, to_version text)
    JOIN run_tasks t ON t.id = i.task_id JOIN sites s ON s.id = t.site_id
    ON CONFLICT DO NOTHING`.execute(trx);
}

/** Lists sites with a watch to judge: errors were reported, or a watch has ended. */
export async function listSitesToJudge(db: Database, now: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ site_id: number }>`
    SELECT DISTINCT site_id FROM (
      (SELECT site_id FROM update_watches WHERE has_new_errors LIMIT ${limit})
      UNION ALL
      (SELECT site_id FROM update_watches WHERE state = 'watching' AND until <= ${now} ORDER BY until LIMIT ${limit})
    ) AS due LIMIT ${limit}`.execute(db);
  return rows.map(({ site_id }) => site_id);
}

/** The rollouts whose updates of this site are watched. */
export async function listWatchedRollouts(trx: Trx, siteId: number, now: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT DISTINCT r.rollout_id AS id FROM update_watches w JOIN runs r ON r.id = w.run_id
    WHERE w.site_id = ${siteId} AND ${isOpen(now)} AND r.rollout_id IS NOT NULL`.execute(trx);
  return rows.map(({ id }) => id);
}

const isOpen = (now: Date) =>
  sql<boolean>`w.state <> 'troubled' AND w.until > ${now}::timestamptz - make_interval(hours => ${LATE_REPORT_HOURS})`;

export type WatchRow = Selectable<ReleaseHealthTables['update_watches']>;
export type LockedWatch = WatchRow & { is_replaced: boolean };

/**
 * Locks the watches of a site that can still change. A report that arrives meanwhile waits for the lock, and causes another
 * judgement.
 */
export async function lockOpenWatches(trx: Trx, siteId: number, now: Date): Promise<LockedWatch[]> {
  const { rows } = await sql<LockedWatch>`
    SELECT w.*, EXISTS (
      SELECT FROM software s JOIN site_software i ON i.software_id = s.id
      WHERE s.type = w.type AND s.slug = w.slug AND i.site_id = w.site_id AND i.version <> w.to_version) AS is_replaced
    FROM update_watches w
    WHERE w.site_id = ${siteId} AND (${isOpen(now)} OR w.state = 'watching' OR w.has_new_errors)
    ORDER BY w.task_id, w.type, w.slug FOR NO KEY UPDATE OF w`.execute(trx);
  return rows;
}

export async function writeWatch(
  trx: Trx,
  { task_id, type, slug }: Pick<WatchRow, 'task_id' | 'type' | 'slug'>,
  change: {
    state: WatchState;
    error: WatchError | null;
    decided_at: Date | null;
    restore_run_id: number | null;
  },
): Promise<void> {
  await tables(trx)
    .updateTable('update_watches')
    .set({ ...change, has_new_errors: false })
    .where('task_id', '=', task_id)
    .where('type', '=', type)
    .where('slug', '=', slug)
    .execute();
}

export type ReportRow = Selectable<ReleaseHealthTables['item_error_reports']>;

export async function findReport(db: Database, siteId: number): Promise<ReportRow | null> {
  const query = tables(db).selectFrom('item_error_reports').selectAll();
  return (await query.where('site_id', '=', siteId).executeTakeFirst()) ?? null;
}

/** Lists the watch of the last update of each item of a site. */
export async function listLastWatches(db: Database, siteId: number): Promise<WatchRow[]> {
  const { rows } = await sql<WatchRow>`
    SELECT DISTINCT ON (type, slug) * FROM update_watches
    WHERE site_id = ${siteId} ORDER BY type, slug, started_at DESC`.execute(db);
  return rows;
}

/** Finds the watch of the last update of an item on each of these sites. */
export async function listLastWatchesOf(
  db: Database,
  siteIds: number[],
  { type, slug }: { type: string; slug: string },
): Promise<WatchRow[]> {
  const { rows } = await sql<WatchRow>`
    SELECT DISTINCT ON (site_id) * FROM update_watches
    WHERE site_id = ANY(${siteIds}::bigint[]) AND type = ${type} AND slug = ${slug}
    ORDER BY site_id, started_at DESC`.execute(db);
  return rows;
}

export function listWatchesOfTasks(db: Database, taskIds: number[]): Promise<WatchRow[]> {
  return tables(db)
    .selectFrom('update_watches')
    .selectAll()
    .where('task_id', '=', sql<number>`ANY(${taskIds}::bigint[])`)
    .orderBy('task_id')
    .orderBy('type')
    .orderBy('slug')
    .execute();
}

/** Finds the name and the address of a site, for a notification. */
export function findSiteName(
  db: Database,
  siteId: number,
): Promise<{ name: string; url: string } | undefined> {
  return tables(db)
    .selectFrom('sites as s')
    .select([sql<string>`site_label(s.display_name, s.url)`.as('name'), 's.url'])
    .where('s.id', '=', siteId)
    .executeTakeFirst();
}

export async function deleteOldWatches(db: Database, now: Date): Promise<void> {
  await tables(db)
    .deleteFrom('update_watches')
    .where('until', '<', sql<Date>`${now}::timestamptz - make_interval(days => ${KEPT_DAYS})`)
    .where('state', '!=', 'watching')
    .execute();
}
