import {
  type ActivationStatus,
  type Environment,
  type Inventory,
  SITE_IDS_MAX,
  type SiteAlarm,
  type SiteFault,
  type SiteSort,
  type SortOrder,
  type StoredLicenseStatus,
  TOTAL_MAX,
} from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/tables.ts';
import type { Position } from '../../platform/page.ts';
import { grantedIds, type Matching } from './site-conditions.ts';
import type { Condition } from './status-conditions.ts';

/** Reading sites for the screens. Conditions are on `sites s`. */

export type SiteRow = {
  id: number;
  name: string;
  url: string;
  pending_plugins: number;
  pending_themes: number;
  pending_core: number;
  inventory_at: Date | null;
  fault: SiteFault | null;
  fault_code: string | null;
  fault_error: string | null;
  fault_at: Date | null;
  fault_run_id: number | null;
  alarm: SiteAlarm | null;
  alarm_at: Date | null;
  alarm_route: string | null;
  alarm_called_at: Date | null;
  license_id: number;
  key_last_six: string;
  license_status: StoredLicenseStatus;
  expires_at: Date | null;
  services: string[];
  activation_status: ActivationStatus;
  counted: boolean;
  environment: Environment;
  cms_version: string;
  php_version: string;
  plugin_version: string;
  last_check_at: Date | null;
  tags: string[];
};

const SITE_COLUMNS = sql`
  s.id, s.name, s.url, s.pending_plugins, s.pending_themes, s.pending_core, s.inventory_at,
  s.fault, s.fault_code, s.fault_error, s.fault_at, s.fault_run_id,
  s.alarm, s.alarm_at, s.alarm_route, s.alarm_called_at,
  s.license_id, l.key_last_six, l.status AS license_status, l.expires_at,
  coalesce(l.services, p.services) AS services,
  a.status AS activation_status, a.counted, a.environment, a.cms_version, a.php_version,
  a.plugin_version, a.last_check_at,
  ARRAY(SELECT t.name FROM site_tags st JOIN tags t ON t.id = st.tag_id
        WHERE st.site_id = s.id ORDER BY lower(t.name)) AS tags`;

/** An order has an index, all but that of the last check: check-ins would have to write it. */
type Order = {
  of: 'site' | 'activation';
  key: RawBuilder<unknown>;
  /** The key as text, for a cursor, and back. */
  toText(key: RawBuilder<unknown>): RawBuilder<unknown>;
  fromText(text: string): RawBuilder<unknown>;
  isText(text: string): boolean;
};

const asText = {
  toText: (key: RawBuilder<unknown>) => sql`${key}::text`,
  fromText: (text: string) => sql`${text}::text`,
  isText: () => true,
};
const isWholeNumber = (text: string) => /^\d{1,15}$/.test(text);
const asNumber = {
  ...asText,
  fromText: (text: string) => sql`${text}::text::bigint`,
  isText: isWholeNumber,
};
/** In milliseconds, as the panel's clock gives it. */
const asTime = {
  toText: (key: RawBuilder<unknown>) => sql`round(extract(epoch FROM ${key}) * 1000)::bigint::text`,
  fromText: (text: string) => sql`to_timestamp(${text}::text::bigint / 1000.0)`,
  isText: isWholeNumber,
};

/** By state is by name too, within each state. */
export type ColumnSort = Exclude<SiteSort, 'status'>;

const ORDERS: Record<ColumnSort, Order> = {
  name: { of: 'site', key: sql`s.name`, ...asText },
  pending: { of: 'site', key: sql`s.pending_total`, ...asNumber },
  // A site that never checked in is the oldest.
  last_check: {
    of: 'activation',
    key: sql`coalesce(a.last_check_at, to_timestamp(0))`,
    ...asTime,
  },
  cms_version: { of: 'activation', key: sql`version_order(a.cms_version)`, ...asText },
  php_version: { of: 'activation', key: sql`version_order(a.php_version)`, ...asText },
  plugin_version: { of: 'activation', key: sql`version_order(a.plugin_version)`, ...asText },
};

/** Whether the database would take the key of a cursor for what it should be. */
export function isKeyOf(sort: ColumnSort, key: string): boolean {
  return ORDERS[sort].isText(key);
}

export type PageRequest = {
  sort: ColumnSort;
  order: SortOrder;
  after: Position | undefined;
  limit: number;
};

/** Which sites a page is made of, along its order. */
export type Along = {
  /** What each is asked. */
  ask: Condition;
  /** Only those in this state, which an index has in the order of names. */
  state?: string | null;
  /** How many sites are looked at before it ends, found or not. */
  atMost?: number;
};

/** OFFSET keeps the planner from looking for these few in the order of all sites. */
const these = (ids: number[]) =>
  sql`(SELECT * FROM sites WHERE id = ANY(${ids}::bigint[]) OFFSET 0)`;

/** The ids of a page first, from as few tables as its order needs; all the rest only for those. */
export async function listSites(
  db: Database,
  among: Along | number[],
  request: PageRequest,
): Promise<(SiteRow & Position)[]> {
  const direction = request.order === 'asc' ? sql`ASC` : sql`DESC`;
  const { toText } = ORDERS[request.sort];
  const { rows } = await sql<SiteRow & Position>`
    WITH page AS MATERIALIZED (${idsInOrder(among, request)})
    SELECT ${toText(sql`page.key`)} AS key, ${SITE_COLUMNS}
    FROM page
    JOIN sites s ON s.id = page.site_id
    JOIN license_activations a ON a.site_id = page.site_id
    JOIN licenses l ON l.id = s.license_id
    JOIN plans p ON p.id = l.plan_id
    ORDER BY page.key ${direction}, page.site_id ${direction}`.execute(db);
  return rows;
}

function idsInOrder(among: Along | number[], { sort, order, after, limit }: PageRequest) {
  const { of, key, fromText } = ORDERS[sort];
  const isOfSite = of === 'site';
  const [direction, beyond] = order === 'asc' ? [sql`ASC`, sql`>`] : [sql`DESC`, sql`<`];
  // The id as the index of the order has it, so that the index gives the whole order.
  const id = isOfSite ? sql`s.id` : sql`a.site_id`;
  const inOrder = sql`ORDER BY ${key} ${direction}, ${id} ${direction}`;
  const start = after
    ? sql`(${key}, ${id}) ${beyond} (${fromText(after.key)}, ${after.id}::bigint)`
    : sql`true`;
  const { ask, state, atMost } = Array.isArray(among) ? { ask: sql`true` } : among;
  const isInState = state ? sql`s.state = ${state}` : sql`true`;
  if (atMost === undefined) {
    const sites = Array.isArray(among) ? these(among) : sql`sites`;
    return sql`SELECT s.id AS site_id, ${key} AS key
      FROM ${sites} s ${isOfSite ? sql`` : sql`JOIN license_activations a ON a.site_id = s.id`}
      WHERE ${isInState} AND ${ask} AND ${start} ${inOrder} LIMIT ${limit}`;
  }
  // So many in the order first, whatever they are; then what is asked of each.
  const first = isOfSite
    ? sql`(SELECT s.*, ${key} AS key FROM sites s WHERE ${isInState} AND ${start}
        ${inOrder} LIMIT ${atMost}) s`
    : sql`(SELECT a.site_id, ${key} AS key FROM license_activations a WHERE ${start}
        ${inOrder} LIMIT ${atMost}) f JOIN sites s ON s.id = f.site_id AND ${isInState}`;
  return sql`SELECT s.id AS site_id, key FROM ${first}
    WHERE ${ask} ORDER BY key ${direction}, s.id ${direction} LIMIT ${limit}`;
}

/**
 * All that match, by the shortest way: from a list, asking each on it; else in a WITH that is
 * MATERIALIZED, for which the planner looks for the cheapest way to all of them, and still no more are
 * read than a LIMIT asks for. Without that, it hopes to meet some soon, and may read everything first.
 */
function found({ ask, lead }: Matching) {
  return lead
    ? sql`found AS (SELECT s.* FROM (${lead.list}) AS l (id)
        CROSS JOIN LATERAL (SELECT * FROM sites WHERE id = l.id OFFSET 0) AS s
        WHERE ${lead.ask ?? sql`true`})`
    : sql`found AS MATERIALIZED (SELECT s.id, s.pending_plugins, s.pending_themes, s.pending_core
        FROM sites s WHERE ${ask})`;
}

/**
 * The ids of any that match, up to one more than anybody is told: few enough to be a condition of
 * their own, or a sign that there are many.
 */
export async function findSome(db: Database, matching: Matching): Promise<number[]> {
  const { lead } = matching;
  const { rows } =
    lead && lead.ask === null
      ? await sql<{ id: number }>`
          SELECT id FROM (${lead.list}) AS l (id) LIMIT ${TOTAL_MAX + 1}`.execute(db)
      : await sql<{ id: number }>`
          WITH ${found(matching)} SELECT id FROM found LIMIT ${TOTAL_MAX + 1}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The same of what somebody was granted. By itself and by its license, a site may be in it twice. */
export async function findGranted(db: Database, userId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    ${grantedIds(userId, 'UNION ALL')} LIMIT ${2 * (TOTAL_MAX + 1)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The same by one or two letters of the name alone, which have an index of their own. */
export function findByLetters(db: Database, letters: string): Promise<number[]> {
  const ask = sql<SqlBool>`letter_groups(s.name) @> ARRAY[${letters}::text]`;
  return findSome(db, { ask, lead: null });
}

/** Those of these that match. */
export async function keepMatching(db: Database, ids: number[], ask: Condition): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT s.id FROM ${these(ids)} s WHERE ${ask}`.execute(db);
  return rows.map(({ id }) => id);
}

/** How many match of the first that are at hand, up to one more than anybody is told. */
export async function countNearby(db: Database, { ask, state, atMost }: Along): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT FROM (SELECT s.* FROM sites s
        WHERE ${state ? sql`s.state = ${state}` : sql`true`}
        ${atMost === undefined ? sql`` : sql`LIMIT ${atMost}`}) s
      WHERE ${ask} LIMIT ${TOTAL_MAX + 1}) AS found`.execute(db);
  return rows[0]?.count ?? 0;
}

export type Selection = {
  /** As JSON: thousands of rows would take longer to read than to find. */
  ids: string;
  count: number;
} & Record<'plugins' | 'themes' | 'core', number>;

/** As many as one action can take; `count` is one more when there are others. */
export async function selectSites(db: Database, matching: Matching): Promise<Selection> {
  const { rows } = await sql<Selection>`
    WITH ${found(matching)},
    counted AS (SELECT found.*, row_number() OVER () AS n FROM found LIMIT ${SITE_IDS_MAX + 1}),
    selected AS (SELECT * FROM counted WHERE n <= ${SITE_IDS_MAX})
    SELECT '[' || coalesce(string_agg(id::text, ',' ORDER BY id), '') || ']' AS ids,
      (SELECT count(*) FROM counted) AS count, coalesce(sum(pending_plugins), 0) AS plugins,
      coalesce(sum(pending_themes), 0) AS themes, coalesce(sum(pending_core), 0) AS core
    FROM selected`.execute(db);
  return rows[0] as Selection;
}

export type SiteDetailsRow = SiteRow & {
  has_web_login: boolean;
  has_site_key: boolean;
  key_ends_at: Date | null;
  accepts_unsigned_calls: boolean;
  proven_at: Date | null;
  proof_error: string | null;
  endpoint_url: string | null;
  wanted_endpoint_url: string | null;
  created_at: Date;
  inventory: Inventory | null;
  plan_name: string;
  plan_slug: string;
  activated_at: Date;
  deactivated_at: Date | null;
};

export async function findSite(
  db: Database,
  matching: Condition,
  id: number,
): Promise<SiteDetailsRow | undefined> {
  const { rows } = await sql<SiteDetailsRow>`
    SELECT ${SITE_COLUMNS}, s.endpoint_url, s.wanted_endpoint_url, s.created_at,
      s.web_login_encrypted IS NOT NULL AS has_web_login, s.inventory, a.activated_at,
      a.site_key_hash IS NOT NULL AS has_site_key, a.key_ends_at, a.accepts_unsigned_calls, a.proven_at, a.proof_error,
      a.deactivated_at, p.name AS plan_name, p.slug AS plan_slug
    FROM sites s
    JOIN license_activations a ON a.site_id = s.id
    JOIN licenses l ON l.id = s.license_id
    JOIN plans p ON p.id = l.plan_id
    WHERE s.id = ${id} AND ${matching}`.execute(db);
  return rows[0];
}
