import { REMOTE_SERVICE, type SiteStatus, staleBefore } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * The state of a site in SQL, on `sites s`: the same as `siteStatus()` in the contract; a test holds
 * them together. The row itself has most of it as `state`. What other tables add are the exceptions:
 * lists that the database makes once, by indexes, and hashes.
 */

export type Condition = RawBuilder<SqlBool>;

export type Filter = {
  /** Cheap to answer for one site. */
  ask: Condition;
  /** The ids of all that may match, each once, by an index; only where there is one. */
  list?: RawBuilder<unknown>;
  /** All on the list do match. */
  isExact?: boolean;
};

const ENDED = sql`SELECT site_id FROM license_activations WHERE status = 'deactivated'`;
const INCLUDES_REMOTE = sql`@> ARRAY[${sql.lit(REMOTE_SERVICE)}]`;

const invalidLicenses = (now: Date) => sql`
  SELECT id FROM licenses WHERE status <> 'active'
  UNION ALL SELECT id FROM licenses WHERE status = 'active' AND expires_at <= ${now}`;

const LICENSES_WITHOUT_REMOTE = sql`
  SELECT id FROM licenses WHERE services IS NOT NULL AND NOT services ${INCLUDES_REMOTE}
  UNION ALL SELECT l.id FROM plans p JOIN licenses l ON l.plan_id = p.id
  WHERE l.services IS NULL AND NOT p.services ${INCLUDES_REMOTE}`;

/** Connected, and with a license that is valid and has Remote. */
const isLive = (now: Date) => sql<SqlBool>`(s.id NOT IN (${ENDED})
  AND s.license_id NOT IN (${invalidLicenses(now)} UNION ALL ${LICENSES_WITHOUT_REMOTE}))`;

/** Only such a site can be updated, as far as the panel knows. */
export function isUpdatable(now: Date): Condition {
  return sql<SqlBool>`(s.state <> 'remote_off' AND ${isLive(now)})`;
}

const staleDay = (now: Date) => sql`(${staleBefore(now)}::timestamptz AT TIME ZONE 'UTC')::date`;

/** Of a site that has reported; the one look elsewhere is for those whose report is old. */
function isStale(now: Date): Condition {
  const limit = staleBefore(now);
  return sql<SqlBool>`(s.inventory_at < ${limit} AND coalesce((SELECT seen.last_check_at < ${limit}
    FROM license_activations seen WHERE seen.site_id = s.id), true))`;
}

export function statusOf(now: Date): RawBuilder<SiteStatus> {
  return sql<SiteStatus>`CASE
    WHEN s.id IN (${ENDED}) THEN 'deactivated'
    WHEN s.license_id IN (${invalidLicenses(now)}) THEN 'license_invalid'
    WHEN s.license_id IN (${LICENSES_WITHOUT_REMOTE}) THEN 'remote_off'
    WHEN s.state <> 'reported' THEN s.state
    WHEN ${isStale(now)} THEN 'stale'
    ELSE 'up_to_date' END`;
}

/** What the row itself says of such sites, where that is most of it. */
export function stateOf(status: SiteStatus): string | null {
  if (status === 'up_to_date') return 'reported';
  const isInRow = ['alarm', 'failing', 'not_reachable', 'updates', 'never_synced'].includes(status);
  return isInRow ? status : null;
}

/** For each license its sites; OFFSET keeps the planner from reading all sites for it. */
const sitesOf = (licenses: RawBuilder<unknown>) => sql`SELECT o.id FROM (${licenses}) AS l
  CROSS JOIN LATERAL (SELECT id, state FROM sites WHERE license_id = l.id OFFSET 0) AS o`;

/** IS TRUE keeps a list as a list: as a join it could cost the order in which sites are read. */
const isOn = (column: 'id' | 'license_id', list: RawBuilder<unknown>) =>
  sql<SqlBool>`((s.${sql.ref(column)} IN (${list})) IS TRUE)`;

export function hasStatus(status: SiteStatus, now: Date): Filter {
  const invalid = invalidLicenses(now);
  switch (status) {
    case 'deactivated':
      return { ask: isOn('id', ENDED), list: ENDED, isExact: true };
    case 'license_invalid':
      return {
        ask: sql`(${isOn('license_id', invalid)} AND s.id NOT IN (${ENDED}))`,
        list: sitesOf(invalid),
      };
    case 'remote_off':
      return {
        ask: sql`((s.state = 'remote_off' OR s.license_id IN (${LICENSES_WITHOUT_REMOTE}))
          AND s.license_id NOT IN (${invalid}) AND s.id NOT IN (${ENDED}))`,
        list: sql`SELECT o.id FROM sites o WHERE o.state = 'remote_off'
          UNION ALL ${sitesOf(LICENSES_WITHOUT_REMOTE)} WHERE o.state <> 'remote_off'`,
      };
    case 'stale':
      return {
        ask: sql`(s.state = 'reported' AND ${isStale(now)} AND ${isLive(now)})`,
        list: sql`SELECT o.id FROM sites o
          WHERE o.state = 'reported' AND o.report_day <= ${staleDay(now)}`,
      };
    case 'up_to_date':
      return { ask: sql`(s.state = 'reported' AND NOT ${isStale(now)} AND ${isLive(now)})` };
    default:
      return { ask: sql`(s.state = ${status} AND ${isLive(now)})` };
  }
}
