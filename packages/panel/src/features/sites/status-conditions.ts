import { REMOTE_SERVICE, type SiteStatus, staleBefore } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * The state of a site in SQL, on `sites s`: the same as `siteStatus()` in the contract; a test holds
 * them together. The row itself has most of it as `state`. What other tables add comes in two forms:
 * as a question about one site, for reading along an order, and as a list that the database makes
 * once, for going straight to those that match.
 */

export type Condition = RawBuilder<SqlBool>;

/** `ask` is cheap for one site and leads nowhere; `find` leads to all that match. */
export type Filter = { ask: Condition; find: Condition };

const ENDED = sql`SELECT site_id FROM license_activations WHERE status = 'deactivated'`;
const INCLUDES_REMOTE = sql`@> ARRAY[${sql.lit(REMOTE_SERVICE)}]`;

const invalidLicenses = (now: Date) => sql`
  SELECT id FROM licenses WHERE status <> 'active'
  UNION ALL SELECT id FROM licenses WHERE status = 'active' AND expires_at <= ${now}`;

const LICENSES_WITHOUT_REMOTE = sql`
  SELECT id FROM licenses WHERE services IS NOT NULL AND NOT services ${INCLUDES_REMOTE}
  UNION ALL SELECT l.id FROM plans p JOIN licenses l ON l.plan_id = p.id
  WHERE l.services IS NULL AND NOT p.services ${INCLUDES_REMOTE}`;

// Subqueries that give a value are never turned into joins: each site is asked by an index, and the
// order in which sites are read stays as it is.
const IS_CONNECTED = sql<SqlBool>`(SELECT 1 FROM license_activations a
  WHERE a.site_id = s.id AND a.status = 'deactivated') IS NULL`;

/** Null: nothing stands in the way of a call. */
const obstacleInLicense = (now: Date) => sql`(SELECT CASE
    WHEN l.status <> 'active' OR l.expires_at <= ${now} THEN 'license_invalid'
    WHEN NOT coalesce(l.services, p.services) ${INCLUDES_REMOTE} THEN 'remote_off' END
  FROM licenses l JOIN plans p ON p.id = l.plan_id WHERE l.id = s.license_id)`;

/** Connected, and with a license that is valid and has Remote. */
function isLive(now: Date): Filter {
  return {
    ask: sql`(${obstacleInLicense(now)} IS NULL AND ${IS_CONNECTED})`,
    find: sql`(s.id NOT IN (${ENDED}) AND s.license_id NOT IN (${invalidLicenses(now)})
      AND s.license_id NOT IN (${LICENSES_WITHOUT_REMOTE}))`,
  };
}

/** Only such a site can be updated, as far as the panel knows. */
export function isUpdatable(now: Date): Condition {
  return sql<SqlBool>`(s.state <> 'remote_off' AND ${isLive(now).find})`;
}

/** Of a site that has reported; the one look elsewhere is for those whose report is old. */
function isStale(now: Date): Condition {
  const limit = staleBefore(now);
  // The day is there for its index.
  return sql<SqlBool>`(s.report_day <= (${limit}::timestamptz AT TIME ZONE 'UTC')::date
    AND s.inventory_at < ${limit} AND coalesce((SELECT seen.last_check_at < ${limit}
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
  const isInRow = ['failing', 'not_reachable', 'updates', 'never_synced'].includes(status);
  return isInRow ? status : null;
}

export function hasStatus(status: SiteStatus, now: Date): Filter {
  const live = isLive(now);
  const bothWith = (condition: Condition): Filter => ({
    ask: sql`(${condition} AND ${live.ask})`,
    find: sql`(${condition} AND ${live.find})`,
  });
  switch (status) {
    case 'deactivated':
      return { ask: sql`(NOT ${IS_CONNECTED})`, find: sql`s.id IN (${ENDED})` };
    case 'license_invalid':
      return {
        ask: sql`(${obstacleInLicense(now)} = 'license_invalid' AND ${IS_CONNECTED})`,
        find: sql`(s.license_id IN (${invalidLicenses(now)}) AND s.id NOT IN (${ENDED}))`,
      };
    case 'remote_off':
      return {
        ask: sql`(coalesce(${obstacleInLicense(now)}, s.state) = 'remote_off' AND ${IS_CONNECTED})`,
        find: sql`((s.state = 'remote_off' OR s.license_id = ANY(ARRAY(${LICENSES_WITHOUT_REMOTE})))
          AND s.license_id NOT IN (${invalidLicenses(now)}) AND s.id NOT IN (${ENDED}))`,
      };
    case 'stale':
      return bothWith(sql`s.state = 'reported' AND ${isStale(now)}`);
    case 'up_to_date':
      return bothWith(sql`s.state = 'reported' AND NOT ${isStale(now)}`);
    default:
      return bothWith(sql`s.state = ${status}`);
  }
}
