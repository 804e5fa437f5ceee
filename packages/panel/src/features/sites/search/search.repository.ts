import { SITE_IDS_MAX, type SortOrder, TOTAL_MAX } from '@steward/contract';
import { type SqlBool, sql } from 'kysely';
import type { Database } from '../../../platform/database/tables.ts';
import type { Position } from '../../../platform/page.ts';
import { grantedSiteIds, type SitePredicate } from './filters.ts';
import { SITE_COLUMNS, type SiteRow } from './site-columns.ts';
import { type ColumnSort, SORT_ORDERS } from './sort-orders.ts';
import { ARCHIVED_SITES, type Predicate } from './status-predicates.ts';

export type PageRequest = {
  sort: ColumnSort;
  order: SortOrder;
  after: Position | undefined;
  limit: number;
};

/** Reads sites in page order and returns the matches. */
export type Scan = {
  predicate: Predicate;
  /** Limits the scan to sites in this state. An index has the sites of each state sorted by name. */
  state?: string | null;
  /** The maximum number of sites to read, matching or not. Without it, the scan ends when the page is full. */
  maxSites?: number;
};

/** OFFSET 0 makes the planner read these sites first, instead of scanning all sites in page order. */
const sitesWithIds = (ids: number[]) =>
  sql`(SELECT * FROM sites WHERE id = ANY(${ids}::bigint[]) OFFSET 0)`;

/** Selects the ids of the page first, from as few tables as possible, then reads the columns of these sites only. */
export async function readPage(
  db: Database,
  source: Scan | number[],
  request: PageRequest,
): Promise<(SiteRow & Position)[]> {
  const direction = request.order === 'asc' ? sql`ASC` : sql`DESC`;
  const { toText } = SORT_ORDERS[request.sort];
  const { rows } = await sql<SiteRow & Position>`
    WITH page AS MATERIALIZED (${selectPageIds(source, request)})
    SELECT ${toText(sql`page.key`)} AS key, ${SITE_COLUMNS}
    FROM page
    JOIN sites s ON s.id = page.site_id
    JOIN license_activations a ON a.site_id = page.site_id
    JOIN licenses l ON l.id = s.license_id
    JOIN plans p ON p.id = l.plan_id
    ORDER BY page.key ${direction}, page.site_id ${direction}`.execute(db);
  return rows;
}

function selectPageIds(source: Scan | number[], { sort, order, after, limit }: PageRequest) {
  const { table, key, fromText } = SORT_ORDERS[sort];
  const isSiteColumn = table === 'site';
  const [direction, comparison] = order === 'asc' ? [sql`ASC`, sql`>`] : [sql`DESC`, sql`<`];
  // Use the id column of the same index, so that the index provides the whole order.
  const id = isSiteColumn ? sql`s.id` : sql`a.site_id`;
  const orderBy = sql`ORDER BY ${key} ${direction}, ${id} ${direction}`;
  const isAfterCursor = after
    ? sql`(${key}, ${id}) ${comparison} (${fromText(after.key)}, ${after.id}::bigint)`
    : sql`true`;
  const { predicate, state, maxSites } = Array.isArray(source) ? { predicate: sql`true` } : source;
  const isInState = state ? sql`s.state = ${state}` : sql`true`;
  if (maxSites === undefined) {
    const sites = Array.isArray(source) ? sitesWithIds(source) : sql`sites`;
    return sql`SELECT s.id AS site_id, ${key} AS key
      FROM ${sites} s ${isSiteColumn ? sql`` : sql`JOIN license_activations a ON a.site_id = s.id`}
      WHERE ${isInState} AND ${predicate} AND ${isAfterCursor} ${orderBy} LIMIT ${limit}`;
  }
  // The inner LIMIT applies before the predicate, so it limits the number of sites read. Archived sites must not use up
  // the limit, and no scan with a limit searches for them.
  const scanned = isSiteColumn
    ? sql`(SELECT s.*, ${key} AS key FROM sites s
        WHERE s.archived_at IS NULL AND ${isInState} AND ${isAfterCursor} ${orderBy} LIMIT ${maxSites}) s`
    : sql`(SELECT a.site_id, ${key} AS key FROM license_activations a
        WHERE ${isAfterCursor} AND a.site_id NOT IN (${ARCHIVED_SITES}) ${orderBy} LIMIT ${maxSites}) f JOIN sites s ON s.id = f.site_id AND ${isInState}`;
  return sql`SELECT s.id AS site_id, key FROM ${scanned}
    WHERE ${predicate} ORDER BY key ${direction}, s.id ${direction} LIMIT ${limit}`;
}

/**
 * Creates a CTE `found` with all matches. If there are no candidates, MATERIALIZED makes the planner choose the
 * cheapest plan for all matches; a LIMIT still ends it early. Without MATERIALIZED, the planner expects an early match
 * and may read all sites.
 */
function createFoundCte({ predicate, candidates }: SitePredicate) {
  return candidates
    ? sql`found AS (SELECT s.* FROM (${candidates.ids}) AS l (id)
        CROSS JOIN LATERAL (SELECT * FROM sites WHERE id = l.id OFFSET 0) AS s
        WHERE ${candidates.predicate ?? sql`true`})`
    : sql`found AS MATERIALIZED (SELECT s.id, s.pending_plugins, s.pending_themes, s.pending_core
        FROM sites s WHERE ${predicate})`;
}

/** Returns at most `TOTAL_MAX + 1` ids of matches, in any order. */
export async function findIds(db: Database, filter: SitePredicate): Promise<number[]> {
  const { candidates } = filter;
  const { rows } =
    candidates && candidates.predicate === null
      ? await sql<{ id: number }>`
          SELECT id FROM (${candidates.ids}) AS l (id) LIMIT ${TOTAL_MAX + 1}`.execute(db)
      : await sql<{ id: number }>`
          WITH ${createFoundCte(filter)} SELECT id FROM found LIMIT ${TOTAL_MAX + 1}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Returns either the archived sites or the others, because archived sites must not use up the limit. May return an id
 * up to three times: see `grantedSiteIds`. The limit allows for this.
 */
export async function findGrantedIds(
  db: Database,
  userId: number,
  isArchived: boolean,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM (${grantedSiteIds(userId, 'UNION ALL')}) AS g (id)
    WHERE id ${isArchived ? sql`IN` : sql`NOT IN`} (${ARCHIVED_SITES})
    LIMIT ${3 * (TOTAL_MAX + 1)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Finds sites by one or two letters of the name, for which there is a separate index. */
export function findIdsByShortSearch(db: Database, text: string): Promise<number[]> {
  const predicate = sql<SqlBool>`letter_groups(s.name) @> ARRAY[${text}::text]`;
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

/** Counts at most `TOTAL_MAX + 1` matches of a scan. */
export async function countScanMatches(
  db: Database,
  { predicate, state, maxSites }: Scan,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT FROM (SELECT s.* FROM sites s
        WHERE s.archived_at IS NULL AND ${state ? sql`s.state = ${state}` : sql`true`}
        ${maxSites === undefined ? sql`` : sql`LIMIT ${maxSites}`}) s
      WHERE ${predicate} LIMIT ${TOTAL_MAX + 1}) AS found`.execute(db);
  return rows[0]?.count ?? 0;
}

export type Selection = {
  /** A JSON array: thousands of rows would take longer to transfer than to find. */
  ids: string;
  count: number;
} & Record<'plugins' | 'themes' | 'core', number>;

/** Selects at most `SITE_IDS_MAX` ids, the limit of one run. `count` is `SITE_IDS_MAX + 1` if more sites match. */
export async function selectIds(db: Database, filter: SitePredicate): Promise<Selection> {
  const { rows } = await sql<Selection>`
    WITH ${createFoundCte(filter)},
    counted AS (SELECT found.*, row_number() OVER () AS n FROM found LIMIT ${SITE_IDS_MAX + 1}),
    selected AS (SELECT * FROM counted WHERE n <= ${SITE_IDS_MAX})
    SELECT '[' || coalesce(string_agg(id::text, ',' ORDER BY id), '') || ']' AS ids,
      (SELECT count(*) FROM counted) AS count, coalesce(sum(pending_plugins), 0) AS plugins,
      coalesce(sum(pending_themes), 0) AS themes, coalesce(sum(pending_core), 0) AS core
    FROM selected`.execute(db);
  return rows[0] as Selection;
}
