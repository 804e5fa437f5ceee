import { hash } from 'node:crypto';
import { ITEM_ERRORS_MAX } from '@steward/contract';
import { type Selectable, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { executePrepared } from '../../platform/database/prepared-statements.ts';
import { tables } from './database.ts';
import type { ReportedError } from './parse-item-errors.ts';
import type { ReleaseHealthTables } from './tables.ts';

/** A site keeps this many groups in addition to those of its last report. */
const OLDER_GROUPS_MAX = 100;
/** A site has one row for each version of an item and day. A hostile site could invent versions without end. */
const DAYS_MAX = 1000;
/** A single site must not hide all others in the sum of a fleet. */
const ERRORS_PER_DAY_MAX = 100_000;
export const KEPT_DAYS = 30;

export type ReportState = { siteId: number; hasDropped: boolean; hasSiteKey: boolean; now: Date };

/** Stores that a site without errors has reported. */
export async function storeEmptyReport(trx: Trx, report: ReportState): Promise<void> {
  await executePrepared(trx, insertReport(report).compile(trx));
}

const insertReport = ({ siteId, hasDropped, hasSiteKey, now }: ReportState) => sql`
  INSERT INTO item_error_reports AS r (site_id, reported_at, dropped_at, has_site_key)
  VALUES (${siteId}, ${now}, ${hasDropped ? now : null}, ${hasSiteKey})
  ON CONFLICT (site_id) DO UPDATE SET reported_at = excluded.reported_at,
    dropped_at = coalesce(excluded.dropped_at, r.dropped_at), has_site_key = excluded.has_site_key`;

/**
 * Stores the errors of a report, replaces those that the site has reported before, and adds the difference of their counts
 * to the days. A group that the site no longer reports stays. Lets the worker judge the watches of the site. Returns whether
 * anything changed. Lock order: the caller has written the site, its activation and its use before.
 */
export async function storeItemErrors(
  trx: Trx,
  errors: ReportedError[],
  report: ReportState,
): Promise<boolean> {
  const { siteId, now } = report;
  const statement = sql<{ changed: number }>`
    WITH reported AS (${insertReport(report)}), input AS MATERIALIZED (
      SELECT decode(key, 'hex') AS key, decode(fingerprint, 'hex') AS fingerprint, type, slug, version, message,
        place, request_kind, via, is_confirmed, count, first_at, last_at
      FROM json_to_recordset(${JSON.stringify(toRows(errors))}::json) AS i (key text, fingerprint text, type text,
        slug text, version text, message text, place text, request_kind text, via jsonb, is_confirmed boolean,
        count bigint, first_at timestamptz, last_at timestamptz)
    ), stored AS MATERIALIZED (
      SELECT key, fingerprint, version, request_kind, is_confirmed, is_known, is_installed, count, first_at, reported_at
      FROM item_errors WHERE site_id = ${siteId}
    ), known AS (
      SELECT fingerprint, version, request_kind, is_confirmed, first_at FROM stored
      UNION ALL SELECT fingerprint, version, request_kind, is_confirmed, first_at FROM input
    ), compared AS MATERIALIZED (
      SELECT i.*, coalesce(s.is_known, false) OR EXISTS (
          SELECT FROM known k WHERE k.fingerprint = i.fingerprint AND k.version <> i.version
            AND (k.is_confirmed OR k.request_kind = i.request_kind)
            AND k.first_at < least(i.first_at, s.first_at)) AS is_known,
        coalesce(s.is_installed, false) OR EXISTS (
          SELECT FROM software w JOIN site_software o ON o.software_id = w.id
          WHERE w.type = i.type AND w.slug = i.slug AND o.site_id = ${siteId} AND o.version = i.version
        ) OR EXISTS (
          SELECT FROM update_watches w
          WHERE w.site_id = ${siteId} AND w.type = i.type AND w.slug = i.slug AND w.to_version = i.version
        ) AS is_installed,
        CASE WHEN i.count >= s.count THEN i.count - s.count ELSE i.count END AS added,
        s.key IS NULL OR i.count <> s.count OR i.is_confirmed AND NOT s.is_confirmed AS is_changed
      FROM input i LEFT JOIN stored s USING (key)
    ), written AS (
      INSERT INTO item_errors AS e (site_id, key, fingerprint, type, slug, version, message, place, request_kind, via,
        is_confirmed, is_known, is_installed, count, first_at, last_at, reported_at)
      SELECT ${siteId}::bigint, key, fingerprint, type, slug, version, message, place, request_kind, coalesce(via, '[]'),
        is_confirmed, is_known, is_installed, count, first_at, last_at, ${now}::timestamptz
      FROM compared ORDER BY key
      ON CONFLICT (site_id, key) DO UPDATE SET via = excluded.via,
        is_confirmed = e.is_confirmed OR excluded.is_confirmed, is_known = excluded.is_known,
        is_installed = excluded.is_installed, count = excluded.count, first_at = least(e.first_at, excluded.first_at),
        last_at = greatest(e.last_at, excluded.last_at), reported_at = excluded.reported_at
      -- Most groups of a report are stored as they are. Their time is written seldom: it decides only when they are deleted.
      WHERE e.count <> excluded.count OR e.via <> excluded.via OR e.is_known <> excluded.is_known
        OR e.is_installed <> excluded.is_installed OR excluded.is_confirmed AND NOT e.is_confirmed OR e.reported_at < excluded.reported_at - interval '12 hours'
    ), days AS (
      INSERT INTO item_error_days AS d (site_id, type, slug, version, day, errors)
      SELECT ${siteId}::bigint, type, slug, version, (last_at AT TIME ZONE 'UTC')::date AS day, least(sum(added), ${ERRORS_PER_DAY_MAX})
      FROM compared
      WHERE added > 0 AND last_at > ${now}::timestamptz - make_interval(days => ${KEPT_DAYS})
        AND (SELECT count(*) FROM item_error_days WHERE site_id = ${siteId}) < ${DAYS_MAX}
      GROUP BY type, slug, version, day ORDER BY type, slug, version, day
      ON CONFLICT (site_id, type, slug, version, day) DO UPDATE SET errors = least(d.errors + excluded.errors, ${ERRORS_PER_DAY_MAX})
    ), evicted AS (
      DELETE FROM item_errors WHERE site_id = ${siteId} AND key IN (
        SELECT key FROM stored WHERE NOT EXISTS (SELECT FROM input i WHERE i.key = stored.key)
        ORDER BY is_confirmed DESC, reported_at DESC OFFSET ${OLDER_GROUPS_MAX})
    ), watches AS (
      UPDATE update_watches SET has_new_errors = true
      WHERE site_id = ${siteId} AND NOT has_new_errors AND state <> 'troubled'
        AND until > ${now}::timestamptz - interval '1 day'
        AND EXISTS (SELECT FROM compared WHERE is_changed)
    )
    SELECT count(*) FILTER (WHERE is_changed)::int AS changed FROM compared`;
  const [result] = await executePrepared(trx, statement.compile(trx));
  return (result?.changed ?? 0) > 0;
}

/** Each group once. The site may report an error of visitors and the same one of an administrator as two groups. */
function toRows(errors: ReportedError[]) {
  const rows = new Map<string, ReportedError & { key: string; fingerprint: string }>();
  for (const error of errors.slice(0, ITEM_ERRORS_MAX)) {
    const { type, slug, version, message, place, request_kind } = error;
    const key = digest([type, slug, version, message, place, request_kind]);
    const other = rows.get(key);
    const row = { ...error, key, fingerprint: digest([type, slug, message, toFile(place)]) };
    rows.set(key, other ? { ...row, ...merge(other, error) } : row);
  }
  return [...rows.values()];
}

const merge = (a: ReportedError, b: ReportedError) => ({
  is_confirmed: a.is_confirmed || b.is_confirmed,
  count: a.count + b.count,
  first_at: a.first_at < b.first_at ? a.first_at : b.first_at,
  last_at: a.last_at > b.last_at ? a.last_at : b.last_at,
});

/** The line of the same error changes from version to version. */
const toFile = (place: string) => place.replace(/:\d+$/, '');

const digest = (parts: string[]) => hash('sha256', parts.join('\0'), 'hex').slice(0, 32);

export type StoredError = Omit<
  Selectable<ReleaseHealthTables['item_errors']>,
  'site_id' | 'key' | 'fingerprint' | 'is_known' | 'is_installed' | 'reported_at'
> & { fingerprint: string };

/** Lists the errors of a site, the last one first. */
export async function listItemErrors(
  db: Database,
  siteId: number,
): Promise<(StoredError & { name: string })[]> {
  const { rows } = await sql<StoredError & { name: string }>`
    SELECT encode(e.fingerprint, 'hex') AS fingerprint, e.type, e.slug, e.version, e.message, e.place, e.request_kind,
      e.via, e.is_confirmed, e.count, e.first_at, e.last_at, coalesce(s.name, e.slug) AS name
    FROM item_errors e LEFT JOIN software s ON s.type = e.type AND s.slug = e.slug
    WHERE e.site_id = ${siteId} ORDER BY e.last_at DESC, e.key`.execute(db);
  return rows;
}

export async function deleteOldErrors(db: Database, now: Date): Promise<void> {
  const oldest = sql`${now}::timestamptz - make_interval(days => ${KEPT_DAYS})`;
  await sql`DELETE FROM item_errors WHERE reported_at < ${oldest}`.execute(db);
  await tables(db)
    .deleteFrom('item_error_days')
    .where('day', '<', sql<string>`(${oldest})::date`)
    .execute();
}
