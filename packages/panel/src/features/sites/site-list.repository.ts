import {
  type ActivationStatus,
  type Environment,
  type Inventory,
  SITE_IDS_MAX,
  type SiteFault,
  type SiteSort,
  type SortOrder,
  type StoredLicenseStatus,
  TOTAL_MAX,
} from '@steward/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/tables.ts';
import type { Position } from '../../lib/page.ts';
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
  s.license_id, l.key_last_six, l.status AS license_status, l.expires_at,
  coalesce(l.services, p.services) AS services,
  a.status AS activation_status, a.counted, a.environment, a.cms_version, a.php_version,
  a.plugin_version, a.last_check_at,
  ARRAY(SELECT t.name FROM site_tags st JOIN tags t ON t.id = st.tag_id
        WHERE st.site_id = s.id ORDER BY lower(t.name)) AS tags`;

/** `id` is written as the index of the order has it, so that the index gives the whole order. */
type Order = {
  key: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  joined: RawBuilder<unknown>;
  type: 'text' | 'bigint';
};

const ofSite = (key: RawBuilder<unknown>, type: Order['type']): Order => ({
  key,
  type,
  id: sql`s.id`,
  joined: sql``,
});
const ofActivation = (key: RawBuilder<unknown>, type: Order['type']): Order => ({
  key,
  type,
  id: sql`a.site_id`,
  joined: sql`JOIN license_activations a ON a.site_id = s.id`,
});

/** By state is by name too, within each state. */
export type ColumnSort = Exclude<SiteSort, 'status'>;

const ORDERS: Record<ColumnSort, Order> = {
  name: ofSite(sql`s.name`, 'text'),
  pending: ofSite(sql`s.pending_total`, 'bigint'),
  // In milliseconds, as the panel's clock gives it; a site that never checked in is the oldest.
  last_check: ofActivation(
    sql`coalesce(floor(extract(epoch FROM a.last_check_at) * 1000), 0)::bigint`,
    'bigint',
  ),
  cms_version: ofActivation(sql`version_order(a.cms_version)`, 'text'),
  php_version: ofActivation(sql`version_order(a.php_version)`, 'text'),
  plugin_version: ofActivation(sql`version_order(a.plugin_version)`, 'text'),
};

/** Whether the database would take the key of a cursor for what it should be. */
export function isKeyOf(sort: ColumnSort, key: string): boolean {
  return ORDERS[sort].type === 'text' || /^\d{1,15}$/.test(key);
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
  { sort, order, after, limit }: PageRequest,
): Promise<(SiteRow & Position)[]> {
  const { key, id, joined, type } = ORDERS[sort];
  const { ask, state = null, atMost = null } = Array.isArray(among) ? { ask: sql`true` } : among;
  const sites = Array.isArray(among) ? these(among) : sql`sites`;
  const direction = order === 'asc' ? sql`ASC` : sql`DESC`;
  const beyond = order === 'asc' ? sql`>` : sql`<`;
  const start = after
    ? sql`AND (${key}, ${id}) ${beyond} (${after.key}::text::${sql.raw(type)}, ${after.id}::bigint)`
    : sql``;
  const { rows } = await sql<SiteRow & Position>`
    WITH page AS MATERIALIZED (
      SELECT s.id AS site_id, s.key FROM (
        SELECT s.*, ${key} AS key FROM ${sites} s ${joined}
        WHERE ${state === null ? sql`true` : sql`s.state = ${state}`} ${start}
        ORDER BY ${key} ${direction}, ${id} ${direction}
        ${atMost === null ? sql`` : sql`LIMIT ${atMost}`}
      ) s
      WHERE ${ask} ORDER BY s.key ${direction}, s.id ${direction} LIMIT ${limit}
    )
    SELECT page.key::text AS key, ${SITE_COLUMNS}
    FROM page
    JOIN sites s ON s.id = page.site_id
    JOIN license_activations a ON a.site_id = page.site_id
    JOIN licenses l ON l.id = s.license_id
    JOIN plans p ON p.id = l.plan_id
    ORDER BY page.key ${direction}, page.site_id ${direction}`.execute(db);
  return rows;
}

/**
 * The ids of any that match, up to one more than anybody is told: few enough to be a condition of
 * their own, or a sign that there are many. In a WITH that is MATERIALIZED the planner looks for the
 * cheapest way to all of them, and still no more are read than the LIMIT asks for. Without it, it
 * hopes to meet some soon, and may read everything before it does.
 */
export async function findSome(db: Database, find: Condition): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    WITH found AS MATERIALIZED (SELECT s.id FROM sites s WHERE ${find})
    SELECT id FROM found LIMIT ${TOTAL_MAX + 1}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The same by one or two letters of the name alone, which have an index of their own. */
export function findByLetters(db: Database, letters: string): Promise<number[]> {
  return findSome(db, sql`letter_groups(s.name) @> ARRAY[${letters}::text]`);
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
export async function selectSites(db: Database, find: Condition): Promise<Selection> {
  const { rows } = await sql<Selection>`
    WITH found AS MATERIALIZED (
      SELECT s.id, s.pending_plugins, s.pending_themes, s.pending_core FROM sites s WHERE ${find}
    ), counted AS (SELECT found.*, row_number() OVER () AS n FROM found LIMIT ${SITE_IDS_MAX + 1}),
    selected AS (SELECT * FROM counted WHERE n <= ${SITE_IDS_MAX})
    SELECT '[' || coalesce(string_agg(id::text, ',' ORDER BY id), '') || ']' AS ids,
      (SELECT count(*) FROM counted) AS count, coalesce(sum(pending_plugins), 0) AS plugins,
      coalesce(sum(pending_themes), 0) AS themes, coalesce(sum(pending_core), 0) AS core
    FROM selected`.execute(db);
  return rows[0] as Selection;
}

export type SiteDetailsRow = SiteRow & {
  endpoint_url: string | null;
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
    SELECT ${SITE_COLUMNS}, s.endpoint_url, s.created_at, s.inventory, a.activated_at,
      a.deactivated_at, p.name AS plan_name, p.slug AS plan_slug
    FROM sites s
    JOIN license_activations a ON a.site_id = s.id
    JOIN licenses l ON l.id = s.license_id
    JOIN plans p ON p.id = l.plan_id
    WHERE s.id = ${id} AND ${matching}`.execute(db);
  return rows[0];
}
