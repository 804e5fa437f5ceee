import type { CommonFact } from '@steward/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { ALL_SITES } from '../site-access/index.ts';
import { KEPT_DAYS } from './item-errors.repository.ts';
import type { ItemReference } from './tables.ts';

/** A plugin, a theme or core on the sites of a scope; with `versions` only these. */
export type HealthQuery = ItemReference & {
  /** The id in `software`. The planner knows how many sites have it. */
  softwareId: number;
  scope: number;
  versions?: string[] | undefined;
  now: Date;
};

/** A site that has not reported for this time cannot tell. Sites check in twice a day. */
const REPORTING_DAYS = 3;

/** The condition that a site is in the scope. Archived sites are in none. */
function isInScope(siteId: RawBuilder<unknown>, scope: number) {
  return scope === ALL_SITES
    ? sql`${siteId} NOT IN (SELECT id FROM sites WHERE archived_at IS NOT NULL)`
    : sql`EXISTS (SELECT FROM listed_sites l WHERE l.id = ${siteId} AND l.scope = ${scope})`;
}

const isWanted = (version: RawBuilder<unknown>, { versions }: HealthQuery) =>
  versions === undefined ? sql`true` : sql`${version} = ANY(${versions}::text[])`;

const hasReported = (now: Date) =>
  sql`r.reported_at > ${now}::timestamptz - make_interval(days => ${REPORTING_DAYS})`;

/** The rows of `item_error_days` that count. */
const fromDays = (query: HealthQuery) => sql`
  FROM item_error_days d WHERE d.type = ${query.type} AND d.slug = ${query.slug} AND ${isWanted(sql`d.version`, query)}
    AND d.day > (${query.now}::timestamptz - make_interval(days => ${KEPT_DAYS}))::date
    AND ${isInScope(sql`d.site_id`, query.scope)}`;

/** The predicate of the index `item_errors_failing`. */
const IS_FAILING = sql`e.is_confirmed AND e.is_installed AND NOT e.is_known`;

/** The rows of `item_errors` because of which a version fails. */
const fromFailing = (query: HealthQuery) => sql`
  FROM item_errors e WHERE e.type = ${query.type} AND e.slug = ${query.slug} AND ${IS_FAILING}
    AND ${isWanted(sql`e.version`, query)} AND ${isInScope(sql`e.site_id`, query.scope)}`;

export type ErrorCount = {
  version: string;
  sites_with_errors: number;
  errors: number;
  /** Sites with errors that no longer have the version. */
  sites_gone: number;
  /** Sites with errors that `countReporting` does not count. */
  sites_not_reporting: number;
};

export async function countErrors(db: Database, query: HealthQuery): Promise<ErrorCount[]> {
  const { rows } = await sql<ErrorCount>`
    WITH failed AS (
      SELECT d.version, d.site_id, sum(d.errors) AS errors ${fromDays(query)} GROUP BY d.version, d.site_id
    )
    SELECT f.version, count(*)::int AS sites_with_errors, sum(f.errors)::float8 AS errors,
      count(*) FILTER (WHERE i.site_id IS NULL)::int AS sites_gone,
      count(*) FILTER (WHERE i.site_id IS NULL OR r.site_id IS NULL)::int AS sites_not_reporting
    FROM failed f
    LEFT JOIN site_software i
      ON i.site_id = f.site_id AND i.software_id = ${query.softwareId} AND i.version = f.version
    LEFT JOIN item_error_reports r ON r.site_id = f.site_id AND ${hasReported(query.now)}
    GROUP BY f.version`.execute(db);
  return rows;
}

export type DayOfVersion = { version: string; day: string; sites: number; errors: number };

export async function listErrorDays(db: Database, query: HealthQuery): Promise<DayOfVersion[]> {
  const { rows } = await sql<DayOfVersion>`
    SELECT d.version, d.day::text AS day, count(*)::int AS sites, sum(d.errors)::float8 AS errors
    ${fromDays(query)} GROUP BY d.version, d.day ORDER BY d.version, d.day`.execute(db);
  return rows;
}

/** Counts the sites that have each version and have reported errors, or none, in the last days. */
export async function countReporting(
  db: Database,
  query: HealthQuery,
): Promise<{ version: string; sites: number }[]> {
  const { rows } = await sql<{ version: string; sites: number }>`
    SELECT i.version, count(*)::int AS sites
    FROM site_software i JOIN item_error_reports r ON r.site_id = i.site_id AND ${hasReported(query.now)}
    WHERE i.software_id = ${query.softwareId} AND ${isWanted(sql`i.version`, query)}
      AND ${query.scope === ALL_SITES ? sql`true` : isInScope(sql`i.site_id`, query.scope)}
    GROUP BY i.version`.execute(db);
  return rows;
}

export async function countInstalled(
  db: Database,
  query: HealthQuery,
): Promise<{ version: string; sites: number }[]> {
  const { rows } = await sql<{ version: string; sites: number }>`
    SELECT c.version, sum(c.sites)::int AS sites FROM software_counts c
    WHERE c.scope = ${query.scope} AND c.software_id = ${query.softwareId} AND ${isWanted(sql`c.version`, query)}
    GROUP BY c.version`.execute(db);
  return rows;
}

export async function countFailing(
  db: Database,
  query: HealthQuery,
): Promise<{ version: string; sites: number }[]> {
  const { rows } = await sql<{ version: string; sites: number }>`
    SELECT e.version, count(DISTINCT e.site_id)::int AS sites ${fromFailing(query)}
    GROUP BY e.version`.execute(db);
  return rows;
}

const FACTS_MAX = 5;
/** Each warning needs some queries. */
const WARNINGS_MAX = 20;

/**
 * Lists what all failing sites of a version have, and no site that reports and has no error there. Empty if there is no such
 * site to compare with.
 */
export async function listCommonFacts(
  db: Database,
  query: HealthQuery & { versions: [string] },
): Promise<CommonFact[]> {
  const minor = (column: RawBuilder<unknown>) => sql`substring(${column} FROM '^[0-9]+[.][0-9]+')`;
  const runtimeFact = (kind: 'php' | 'wordpress', name: string, column: RawBuilder<unknown>) => sql`
    SELECT ${kind} AS kind, min(${minor(column)}) AS value, ${name} || min(${minor(column)}) AS name
    FROM failing f JOIN license_activations a ON a.site_id = f.site_id
    HAVING count(*) = count(${minor(column)}) AND min(${minor(column)}) = max(${minor(column)})
      AND NOT EXISTS (
        SELECT FROM working w JOIN license_activations a ON a.site_id = w.site_id
        WHERE ${minor(column)} = (SELECT min(${minor(column)}) FROM license_activations a
          WHERE a.site_id = (SELECT min(site_id) FROM failing)))`;
  const { rows } = await sql<CommonFact>`
    WITH failing AS MATERIALIZED (
      SELECT DISTINCT e.site_id ${fromFailing(query)}
    ), working AS MATERIALIZED (
      SELECT i.site_id FROM site_software i JOIN item_error_reports r ON r.site_id = i.site_id AND ${hasReported(query.now)}
      WHERE i.software_id = ${query.softwareId} AND ${isWanted(sql`i.version`, query)}
        AND ${isInScope(sql`i.site_id`, query.scope)}
        AND i.site_id NOT IN (SELECT d.site_id ${fromDays(query)})
        AND i.site_id NOT IN (SELECT site_id FROM failing)
    ), shared_plugins AS (
      SELECT p.software_id FROM failing f JOIN site_software p ON p.site_id = f.site_id AND p.active
      GROUP BY p.software_id HAVING count(*) = (SELECT count(*) FROM failing)
    ), facts AS (
      ${runtimeFact('php', 'PHP ', sql`a.php_version`)}
      UNION ALL ${runtimeFact('wordpress', 'WordPress ', sql`a.cms_version`)}
      UNION ALL
      SELECT 'plugin', s.slug, s.name FROM shared_plugins p JOIN software s ON s.id = p.software_id
      WHERE s.type = 'plugin' AND NOT s.is_management_plugin AND s.id <> ${query.softwareId}
        AND NOT EXISTS (
          SELECT FROM working w JOIN site_software o ON o.site_id = w.site_id AND o.software_id = s.id AND o.active)
    )
    SELECT kind, value, name FROM facts WHERE EXISTS (SELECT FROM working)
    ORDER BY array_position(ARRAY['php', 'wordpress', 'plugin'], kind), name LIMIT ${FACTS_MAX}`.execute(
    db,
  );
  return rows;
}

/** Finds which of these versions fail on a site of the scope. */
export async function findFailingVersions<Item extends ItemReference & { version: string }>(
  db: Database,
  scope: number,
  items: Item[],
): Promise<(Item & { softwareId: number })[]> {
  if (items.length === 0) return [];
  const wanted = items.map(({ type, slug, version }, position) => {
    return { position, type, slug, version };
  });
  const { rows } = await sql<{ position: number; software_id: number }>`
    SELECT i.position, s.id AS software_id
    FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      AS i (position int, type text, slug text, version text)
    JOIN software s ON s.type = i.type AND s.slug = i.slug
    WHERE EXISTS (
      SELECT FROM item_errors e WHERE e.type = i.type AND e.slug = i.slug AND e.version = i.version
        AND ${IS_FAILING} AND ${isInScope(sql`e.site_id`, scope)})
    ORDER BY i.position LIMIT ${WARNINGS_MAX}`.execute(db);
  return rows.flatMap(({ position, software_id: softwareId }) => {
    const item = items[position];
    return item ? [{ ...item, softwareId }] : [];
  });
}
