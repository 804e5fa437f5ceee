import { noContactBefore, REMOTE_SERVICE, type SiteStatus } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * SQL for the status of a site. It must agree with `siteStatus()` in the contract; a test compares the two. The
 * generated column `sites.state` gives the status of most sites. Subqueries find the exceptions in other tables:
 * PostgreSQL evaluates each subquery once, by index, and hashes its result.
 */

/** The sites that a user may see: a table with the alias `s`, and the condition for its rows. */
export type SiteSource = { table: RawBuilder<unknown>; condition: RawBuilder<SqlBool> };

/** A boolean SQL expression on a row `s` of `sites` or `listed_sites`. */
export type Predicate = RawBuilder<SqlBool>;

export type Filter = {
  /** Cheap to evaluate for one site. */
  predicate: Predicate;
  /** A subquery, read from an index, for the ids of all sites that may match, without duplicates. */
  candidates?: RawBuilder<unknown>;
  /** What remains to be checked for candidates. Null: all of them match. */
  predicateOfCandidates?: Predicate | null;
};

const DEACTIVATED_SITES = sql`SELECT site_id FROM license_activations WHERE status = 'deactivated'`;
/** Few sites are archived, and an index has only those. */
export const ARCHIVED_SITES = sql`SELECT id FROM sites WHERE archived_at IS NOT NULL`;
const INCLUDES_REMOTE = sql`@> ARRAY[${sql.lit(REMOTE_SERVICE)}]`;

const invalidLicenses = (now: Date) => sql`
  SELECT id FROM licenses WHERE status <> 'active'
  UNION ALL SELECT id FROM licenses WHERE status = 'active' AND expires_at <= ${now}`;

const LICENSES_WITHOUT_REMOTE = sql`
  SELECT id FROM licenses WHERE services IS NOT NULL AND NOT services ${INCLUDES_REMOTE}
  UNION ALL SELECT l.id FROM plans p JOIN licenses l ON l.plan_id = p.id
  WHERE l.services IS NULL AND NOT p.services ${INCLUDES_REMOTE}`;

/** The site is connected, and its license is valid and includes Remote. */
const whereRemoteAvailable = (now: Date) => sql<SqlBool>`(s.id NOT IN (${DEACTIVATED_SITES})
  AND s.license_id NOT IN (${invalidLicenses(now)} UNION ALL ${LICENSES_WITHOUT_REMOTE}))`;

/** The license allows remote management of the site, and the last call did not find it turned off there. */
export function whereUpdatable(now: Date): Predicate {
  return sql<SqlBool>`(s.state <> 'remote_off' AND ${whereRemoteAvailable(now)})`;
}

const staleDay = (now: Date) =>
  sql`(${noContactBefore(now)}::timestamptz AT TIME ZONE 'UTC')::date`;

/** Only for sites that have reported. Reads the activation only if the last report is old. */
function whereStale(now: Date): Predicate {
  const oldestContact = noContactBefore(now);
  return sql<SqlBool>`(s.inventory_at < ${oldestContact} AND coalesce((SELECT activation.last_check_at < ${oldestContact}
    FROM license_activations activation WHERE activation.site_id = s.id), true))`;
}

/** Builds the SQL expression for the status of a site. */
export function siteStatusSql(now: Date): RawBuilder<SiteStatus> {
  return sql<SiteStatus>`CASE
    WHEN s.id IN (${DEACTIVATED_SITES}) THEN 'deactivated'
    WHEN s.license_id IN (${invalidLicenses(now)}) THEN 'license_invalid'
    WHEN s.license_id IN (${LICENSES_WITHOUT_REMOTE}) THEN 'remote_off'
    WHEN s.state <> 'reported' THEN s.state
    WHEN ${whereStale(now)} THEN 'stale'
    ELSE 'up_to_date' END`;
}

/** Selects the sites whose last report is old. An index has all that this reads. */
const sitesWithOldReport = (now: Date) => sql`SELECT o.id FROM sites o
  WHERE o.state = 'reported' AND o.report_day <= ${staleDay(now)}`;

/** Whether a site with an old report has no contact. Reads two rows. */
const whereListedStale = (now: Date) =>
  sql<SqlBool>`(SELECT ${whereStale(now)} FROM (SELECT s.id) AS listed JOIN sites s ON s.id = listed.id)`;

/** Returns the `state` value that all sites with this status have, if few other sites have it; otherwise null. */
export function stateOfStatus(status: SiteStatus): string | null {
  if (status === 'up_to_date') return 'reported';
  const isState = ['alarm', 'failing', 'not_reachable', 'updates', 'never_synced'].includes(status);
  return isState ? status : null;
}

/** Selects the sites of these licenses. OFFSET 0 keeps the planner from reading all sites instead. */
const sitesOfLicenses = (licenses: RawBuilder<unknown>, { table, condition }: SiteSource) =>
  sql`SELECT o.id FROM (${licenses}) AS l CROSS JOIN LATERAL (
    SELECT s.id, s.state FROM ${table} WHERE ${condition} AND s.license_id = l.id OFFSET 0) AS o`;

/** IS TRUE keeps the planner from turning the subquery into a join, which could lose the order of the scan. */
const whereInSubquery = (column: 'id' | 'license_id', subquery: RawBuilder<unknown>) =>
  sql<SqlBool>`((s.${sql.ref(column)} IN (${subquery})) IS TRUE)`;

export function filterByStatus(status: SiteStatus, source: SiteSource, now: Date): Filter {
  const invalid = invalidLicenses(now);
  const isConnected = sql<SqlBool>`s.id NOT IN (${DEACTIVATED_SITES})`;
  switch (status) {
    case 'deactivated':
      return {
        predicate: whereInSubquery('id', DEACTIVATED_SITES),
        candidates: DEACTIVATED_SITES,
        predicateOfCandidates: null,
      };
    case 'license_invalid':
      return {
        predicate: sql`(${whereInSubquery('license_id', invalid)} AND ${isConnected})`,
        candidates: sitesOfLicenses(invalid, source),
        predicateOfCandidates: isConnected,
      };
    case 'remote_off': {
      const isLicensed = sql<SqlBool>`(s.license_id NOT IN (${invalid}) AND ${isConnected})`;
      return {
        predicate: sql`((s.state = 'remote_off' OR s.license_id IN (${LICENSES_WITHOUT_REMOTE}))
          AND ${isLicensed})`,
        candidates: sql`SELECT s.id FROM ${source.table}
          WHERE ${source.condition} AND s.state = 'remote_off'
          UNION ALL ${sitesOfLicenses(LICENSES_WITHOUT_REMOTE, source)} WHERE o.state <> 'remote_off'`,
        predicateOfCandidates: isLicensed,
      };
    }
    case 'stale':
      return {
        predicate: sql`(${whereInSubquery('id', sitesWithOldReport(now))} AND ${whereListedStale(now)}
          AND ${whereRemoteAvailable(now)})`,
        candidates: sitesWithOldReport(now),
        predicateOfCandidates: sql`(${whereRemoteAvailable(now)} AND ${whereListedStale(now)})`,
      };
    case 'up_to_date':
      return {
        predicate: sql`(s.state = 'reported' AND ${whereRemoteAvailable(now)}
          AND (s.id NOT IN (${sitesWithOldReport(now)}) OR NOT ${whereListedStale(now)}))`,
      };
    default:
      return { predicate: sql`(s.state = ${status} AND ${whereRemoteAvailable(now)})` };
  }
}
