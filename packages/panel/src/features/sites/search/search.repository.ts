import { SITE_IDS_MAX, type SortOrder, TOTAL_MAX } from '@steward/contract';
import { type SqlBool, sql } from 'kysely';
import type { Database } from '../../../platform/database/tables.ts';
import type { Position } from '../../../platform/page.ts';
import { grantedSiteIds, type SitePredicate } from './filters.ts';
import { SITE_COLUMNS, type SiteRow } from './site-columns.ts';
import { type ColumnSort, SORT_ORDERS } from './sort-orders.ts';
import type { Predicate } from './status-predicates.ts';

export type PageRequest = {
  sort: ColumnSort;
  order: SortOrder;
  after: Position | undefined;
  limit: number;
};

/** Reads sites in the order of the page and keeps those that match. */
export type Scan = {
  predicate: Predicate;
  /** Scans only sites in this state, for which there is an index ordered by name. */
  state?: string | null;
  /** The number of sites to read, matching or not. Undefined: until the page is full. */
  maxSites?: number;
};

/** OFFSET keeps the planner from looking for these few sites in the order of all sites. */
const sitesWithIds = (ids: number[]) =>
  sql`(SELECT * FROM sites WHERE id = ANY(${ids}::bigint[]) OFFSET 0)`;

/** Selects the ids of the page first, from as few tables as the order needs, then the columns of those sites. */
export async function readPage(
  db: Database,
  source: Scan | number[],
  request: PageRequest,
): Promise<(SiteRow & Position)[]> {
  const direction = request.order === 'asc' ? sql`ASC` : sql`DESC`;
  const { toText } = SORT_ORDERS[request.sort];
  const { rows } = await sql<SiteRow & Position>`
    WITH page AS MATERIALIZED (${idsInOrder(source, request)})
    SELECT ${toText(sql`page.key`)} AS key, ${SITE_COLUMNS}
    FROM page
    JOIN sites s ON s.id = page.site_id
    JOIN license_activations a ON a.site_id = page.site_id
    JOIN licenses l ON l.id = s.license_id
    JOIN plans p ON p.id = l.plan_id
    ORDER BY page.key ${direction}, page.site_id ${direction}`.execute(db);
  return rows;
}

function idsInOrder(source: Scan | number[], { sort, order, after, limit }: PageRequest) {
  const { table, key, fromText } = SORT_ORDERS[sort];
  const isBySite = table === 'site';
  const [direction, beyond] = order === 'asc' ? [sql`ASC`, sql`>`] : [sql`DESC`, sql`<`];
  // The id column of the index, so that the index supplies the whole order.
  const id = isBySite ? sql`s.id` : sql`a.site_id`;
  const orderBy = sql`ORDER BY ${key} ${direction}, ${id} ${direction}`;
  const isAfterCursor = after
    ? sql`(${key}, ${id}) ${beyond} (${fromText(after.key)}, ${after.id}::bigint)`
    : sql`true`;
  const { predicate, state, maxSites } = Array.isArray(source) ? { predicate: sql`true` } : source;
  const isInState = state ? sql`s.state = ${state}` : sql`true`;
  if (maxSites === undefined) {
    const sites = Array.isArray(source) ? sitesWithIds(source) : sql`sites`;
    return sql`SELECT s.id AS site_id, ${key} AS key
      FROM ${sites} s ${isBySite ? sql`` : sql`JOIN license_activations a ON a.site_id = s.id`}
      WHERE ${isInState} AND ${predicate} AND ${isAfterCursor} ${orderBy} LIMIT ${limit}`;
  }
  // The inner LIMIT applies before the predicate: it bounds the sites that are read.
  const scanned = isBySite
    ? sql`(SELECT s.*, ${key} AS key FROM sites s WHERE ${isInState} AND ${isAfterCursor}
        ${orderBy} LIMIT ${maxSites}) s`
    : sql`(SELECT a.site_id, ${key} AS key FROM license_activations a WHERE ${isAfterCursor}
        ${orderBy} LIMIT ${maxSites}) f JOIN sites s ON s.id = f.site_id AND ${isInState}`;
  return sql`SELECT s.id AS site_id, key FROM ${scanned}
    WHERE ${predicate} ORDER BY key ${direction}, s.id ${direction} LIMIT ${limit}`;
}

/**
 * A CTE `found` of all matches. Without candidates it is MATERIALIZED: the planner then chooses the cheapest plan for
 * all matches, and a LIMIT still stops it early. Otherwise the planner bets on an early match and may read all sites.
 */
function foundCte({ predicate, candidates }: SitePredicate) {
  return candidates
    ? sql`found AS (SELECT s.* FROM (${candidates.ids}) AS l (id)
        CROSS JOIN LATERAL (SELECT * FROM sites WHERE id = l.id OFFSET 0) AS s
        WHERE ${candidates.predicate ?? sql`true`})`
    : sql`found AS MATERIALIZED (SELECT s.id, s.pending_plugins, s.pending_themes, s.pending_core
        FROM sites s WHERE ${predicate})`;
}

/** The ids of matches in any order. `TOTAL_MAX + 1` ids mean that there may be more. */
export async function findIds(db: Database, filter: SitePredicate): Promise<number[]> {
  const { candidates } = filter;
  const { rows } =
    candidates && candidates.predicate === null
      ? await sql<{ id: number }>`
          SELECT id FROM (${candidates.ids}) AS l (id) LIMIT ${TOTAL_MAX + 1}`.execute(db)
      : await sql<{ id: number }>`
          WITH ${foundCte(filter)} SELECT id FROM found LIMIT ${TOTAL_MAX + 1}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The limit is doubled: a site granted directly and through its license appears twice. */
export async function findGrantedIds(db: Database, userId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    ${grantedSiteIds(userId, 'UNION ALL')} LIMIT ${2 * (TOTAL_MAX + 1)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Finds sites by one or two letters of the name, which have an index of their own. */
export function findIdsByLetters(db: Database, letters: string): Promise<number[]> {
  const predicate = sql<SqlBool>`letter_groups(s.name) @> ARRAY[${letters}::text]`;
  return findIds(db, { predicate, candidates: null });
}

export async function filterIds(
  db: Database,
  ids: number[],
  predicate: Predicate,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT s.id FROM ${sitesWithIds(ids)} s WHERE ${predicate}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Counts the matches of a scan in any order, up to `TOTAL_MAX + 1`. */
export async function countScanned(
  db: Database,
  { predicate, state, maxSites }: Scan,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT FROM (SELECT s.* FROM sites s
        WHERE ${state ? sql`s.state = ${state}` : sql`true`}
        ${maxSites === undefined ? sql`` : sql`LIMIT ${maxSites}`}) s
      WHERE ${predicate} LIMIT ${TOTAL_MAX + 1}) AS found`.execute(db);
  return rows[0]?.count ?? 0;
}

export type Selection = {
  /** JSON in one column: thousands of rows would take longer to transfer than to find. */
  ids: string;
  count: number;
} & Record<'plugins' | 'themes' | 'core', number>;

/** At most `SITE_IDS_MAX` ids, the limit of one action; `count` is one higher when more sites match. */
export async function selectIds(db: Database, filter: SitePredicate): Promise<Selection> {
  const { rows } = await sql<Selection>`
    WITH ${foundCte(filter)},
    counted AS (SELECT found.*, row_number() OVER () AS n FROM found LIMIT ${SITE_IDS_MAX + 1}),
    selected AS (SELECT * FROM counted WHERE n <= ${SITE_IDS_MAX})
    SELECT '[' || coalesce(string_agg(id::text, ',' ORDER BY id), '') || ']' AS ids,
      (SELECT count(*) FROM counted) AS count, coalesce(sum(pending_plugins), 0) AS plugins,
      coalesce(sum(pending_themes), 0) AS themes, coalesce(sum(pending_core), 0) AS core
    FROM selected`.execute(db);
  return rows[0] as Selection;
}
