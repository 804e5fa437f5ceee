import { SITE_IDS_MAX, type SortOrder, TOTAL_MAX } from '@steward/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../platform/database/handles.ts';
import { inNaturalOrder } from '../../../platform/database/natural-order.ts';
import type { Position } from '../../../platform/page.ts';
import type { SitePredicate } from './filters.ts';
import { SITE_COLUMNS, type SiteRow } from './site-columns.ts';
import { type ColumnSort, SORT_ORDERS } from './sort-orders.ts';
import { ARCHIVED_SITES, type Predicate, type SiteSource } from './status-predicates.ts';

export type PageRequest = {
  sort: ColumnSort;
  order: SortOrder;
  after: Position | undefined;
  limit: number;
};

/** Reads sites in page order and returns the matches. */
export type Scan = {
  source: SiteSource;
  predicate: Predicate;
  /** Limits the scan to sites in this state. An index has the sites of each state sorted by name. */
  state: string | null;
  /** The maximum number of sites to read, matching or not. Without it, the scan ends when the page is full. */
  maxSites?: number;
};

export type Filtered = SitePredicate & { source: SiteSource; isDense: boolean };

/** Reads the columns of the sites on a page, which `page` selects from as few tables as possible. */
function selectRows(
  page: RawBuilder<unknown>,
  { sort, order }: PageRequest,
  moreColumns: RawBuilder<unknown> = sql``,
) {
  const direction = order === 'asc' ? sql`ASC` : sql`DESC`;
  return sql`${page}
    SELECT ${SORT_ORDERS[sort].toText(sql`page.key`)} AS key, ${SITE_COLUMNS} ${moreColumns}
    FROM page
    JOIN sites s ON s.id = page.site_id
    JOIN license_activations a ON a.site_id = page.site_id
    JOIN licenses l ON l.id = s.license_id
    JOIN plans p ON p.id = l.plan_id
    ORDER BY page.key ${direction}, page.site_id ${direction}`;
}

export async function readPage(
  db: Database,
  scan: Scan,
  request: PageRequest,
): Promise<(SiteRow & Position)[]> {
  const page = sql`WITH page AS MATERIALIZED (${selectPageIds(scan, request)})`;
  const { rows } = await sql<SiteRow & Position>`${selectRows(page, request)}`.execute(db);
  return rows;
}

function describeOrder({ sort, order, after }: PageRequest) {
  const { table, key, fromText } = SORT_ORDERS[sort];
  const [direction, comparison] = order === 'asc' ? [sql`ASC`, sql`>`] : [sql`DESC`, sql`<`];
  const isSiteColumn = table === 'site';
  // Use the id column of the same index, so that the index provides the whole order.
  const id = isSiteColumn ? sql`s.id` : sql`a.site_id`;
  const isAfterCursor = after
    ? sql`(${key}, ${id}) ${comparison} (${fromText(after.key)}, ${after.id}::bigint)`
    : sql`true`;
  const orderBy = sql`ORDER BY ${key} ${direction}, ${id} ${direction}`;
  const activations = isSiteColumn ? sql`` : sql`JOIN license_activations a ON a.site_id = s.id`;
  return { isSiteColumn, key, direction, isAfterCursor, orderBy, activations };
}

function selectPageIds({ source, predicate, state, maxSites }: Scan, request: PageRequest) {
  const { isSiteColumn, key, direction, isAfterCursor, orderBy, activations } =
    describeOrder(request);
  const isListed = sql`${source.condition} AND ${state ? sql`s.state = ${state}` : sql`true`}`;
  if (maxSites === undefined) {
    return sql`SELECT s.id AS site_id, ${key} AS key FROM ${source.table} ${activations}
      WHERE ${isListed} AND ${predicate} AND ${isAfterCursor} ${orderBy} LIMIT ${request.limit}`;
  }
  // The inner LIMIT applies before the predicate, so it limits the number of sites read. Archived sites must not use up
  // the limit, and no scan with a limit searches for them.
  const scanned = isSiteColumn
    ? sql`(SELECT s.*, ${key} AS key FROM ${source.table}
        WHERE ${isListed} AND ${isAfterCursor} ${orderBy} LIMIT ${maxSites}) s WHERE true`
    : sql`(SELECT a.site_id, ${key} AS key FROM license_activations a
        WHERE ${isAfterCursor} AND a.site_id NOT IN (${ARCHIVED_SITES}) ${orderBy} LIMIT ${maxSites}) f
        JOIN ${source.table} ON s.id = f.site_id WHERE ${isListed}`;
  return sql`SELECT s.id AS site_id, key FROM ${scanned}
    AND ${predicate} ORDER BY key ${direction}, s.id ${direction} LIMIT ${request.limit}`;
}

/** Selects all matches. OFFSET 0 keeps the planner from reading all sites instead of the candidates. */
function selectFound({ source, predicate, candidates, searchCandidates }: Filtered) {
  const { ids, predicate: remaining } = candidates ?? searchCandidates ?? {};
  return ids
    ? sql`SELECT s.* FROM (${ids}) AS c (id)
        CROSS JOIN LATERAL (SELECT s.* FROM ${source.table} WHERE s.id = c.id AND ${source.condition} OFFSET 0) AS s
        WHERE ${remaining}`
    : sql`SELECT s.* FROM ${source.table} WHERE ${source.condition} AND ${predicate}`;
}

/**
 * Creates a CTE with at most `TOTAL_MAX + 1` matches. The inner CTE makes the planner choose the cheapest plan for all
 * matches; the LIMIT still ends it early. Otherwise the planner expects an early match and may read all sites.
 */
const foundCte = (query: Filtered) => sql`
  matches AS MATERIALIZED (SELECT s.id, s.name, s.pending_total FROM (${selectFound(query)}) AS s),
  found AS MATERIALIZED (SELECT * FROM matches LIMIT ${TOTAL_MAX + 1})`;

/** Reads a page of the matches, and counts at most `TOTAL_MAX + 1` of them. With more matches, the rows are not the page. */
export async function readFoundPage(
  db: Database,
  query: Filtered,
  request: PageRequest,
): Promise<{ rows: (SiteRow & Position)[]; count: number }> {
  const { key, isAfterCursor, orderBy, activations } = describeOrder(request);
  const page = sql`WITH ${foundCte(query)}, page AS MATERIALIZED (
    SELECT s.id AS site_id, ${key} AS key FROM found s ${activations} WHERE ${isAfterCursor} ${orderBy}
    LIMIT (SELECT CASE WHEN count(*) > ${TOTAL_MAX} THEN 1 ELSE ${request.limit}::integer END FROM found))`;
  const count = sql`, (SELECT count(*) FROM found) AS found`;
  const { rows } = await sql<SiteRow & Position & { found: number }>`
    ${selectRows(page, request, count)}`.execute(db);
  // No row after a cursor: the cursor may be after the counted matches only.
  const isUncounted = rows.length === 0 && request.after !== undefined;
  return { rows, count: isUncounted ? await countFound(db, query) : (rows[0]?.found ?? 0) };
}

export async function countFound(db: Database, query: Filtered): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH ${foundCte(query)} SELECT count(*) AS count FROM found`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Counts at most `TOTAL_MAX + 1` matches of a scan. By name, because in other orders matches are far apart: all sites
 * without updates come first.
 */
export async function countScanMatches(
  db: Database,
  { source, predicate, state, maxSites }: Scan,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT FROM (SELECT s.* FROM ${source.table}
        WHERE ${source.condition} AND ${state ? sql`s.state = ${state}` : sql`true`}
        ${maxSites === undefined ? sql`` : sql`ORDER BY ${inNaturalOrder(sql`s.name`)}, s.id LIMIT ${maxSites}`}) s
      WHERE ${predicate} LIMIT ${TOTAL_MAX + 1}) AS found`.execute(db);
  return rows[0]?.count ?? 0;
}

export type Selection = {
  /** A JSON array: thousands of rows would take longer to transfer than to find. */
  ids: string;
  count: number;
} & Record<'plugins' | 'themes' | 'core', number>;

/** Selects at most `SITE_IDS_MAX` ids, the limit of one run. `count` is `SITE_IDS_MAX + 1` if more sites match. */
export async function selectIds(db: Database, query: Filtered): Promise<Selection> {
  const { rows } = await sql<Selection>`
    WITH found AS MATERIALIZED (SELECT s.id, s.pending_plugins, s.pending_themes, s.pending_core
      FROM (${selectFound(query)}) AS s LIMIT ${SITE_IDS_MAX + 1}),
    selected AS (SELECT * FROM found LIMIT ${SITE_IDS_MAX})
    SELECT '[' || coalesce(string_agg(id::text, ',' ORDER BY id), '') || ']' AS ids,
      (SELECT count(*) FROM found) AS count, coalesce(sum(pending_plugins), 0) AS plugins,
      coalesce(sum(pending_themes), 0) AS themes, coalesce(sum(pending_core), 0) AS core
    FROM selected`.execute(db);
  return rows[0] as Selection;
}
