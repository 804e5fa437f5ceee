import {
  type SoftwareFilter,
  type SoftwareItem,
  type SoftwareSort,
  type SoftwareType,
  type SortOrder,
  TOP_VERSIONS,
  TOTAL_MAX,
} from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';
import type { Position } from '../../platform/page.ts';

export type SoftwareFilters = {
  scope: number;
  type?: SoftwareType | undefined;
  search?: string | undefined;
  filter?: SoftwareFilter | undefined;
};

export type PageRequest = {
  sort: SoftwareSort;
  direction: SortOrder;
  after: Position | undefined;
  limit: number;
};

type Predicate = RawBuilder<SqlBool>;

const FILTER_PREDICATES: Record<SoftwareFilter, Predicate> = {
  outdated: sql`outdated_sites > 0`,
  inactive: sql`active_sites = 0`,
  single_site: sql`sites = 1`,
};

const SORT_KEYS: Record<SoftwareSort, { key: RawBuilder<unknown>; type: RawBuilder<unknown> }> = {
  name: { key: inNaturalOrder(sql`name`), type: sql`text` },
  sites: { key: sql`sites`, type: sql`bigint` },
  outdated: { key: sql`outdated_sites`, type: sql`bigint` },
};

/** With the collation of the columns, ILIKE would ignore the case of ASCII letters only. */
function matchesSearch(search: string): Predicate {
  const pattern = `%${search.trim().replace(/[\\%_]/g, '\\$&')}%`;
  return sql`(s.name COLLATE "default" ILIKE ${pattern} OR s.slug COLLATE "default" ILIKE ${pattern})`;
}

type ListedRow = SoftwareItem & Position;

/**
 * Reads one page and counts all matches, up to `TOTAL_MAX + 1`. One statement does both, because both need the sums over
 * the versions of each item, which are most of the work.
 */
export async function listSoftwarePage(
  db: Database,
  { scope, type, search, filter }: SoftwareFilters,
  { sort, direction, after, limit }: PageRequest,
): Promise<{ rows: ListedRow[]; count: number }> {
  const { key, type: keyType } = SORT_KEYS[sort];
  const [order, comparison] = direction === 'asc' ? [sql`ASC`, sql`>`] : [sql`DESC`, sql`<`];
  const isAfterCursor = after
    ? sql`(key, id) ${comparison} (${after.key}::text::${keyType}, ${after.id}::bigint)`
    : sql`true`;
  const { rows } = await sql<ListedRow & { count: number }>`
    WITH counted AS (
      SELECT software_id, sum(sites) AS sites, sum(active_sites) AS active_sites,
        coalesce(sum(sites) FILTER (WHERE new_version IS NOT NULL), 0) AS offered_sites
      FROM software_counts WHERE scope = ${scope} GROUP BY software_id
    ), searched AS (
      SELECT s.id, s.type, s.slug, s.name, c.sites, c.active_sites,
        CASE WHEN s.is_management_plugin THEN 0 ELSE c.offered_sites END AS outdated_sites
      FROM counted c JOIN software s ON s.id = c.software_id
      WHERE ${type ? sql`s.type = ${type}` : sql`true`}
        AND ${search === undefined ? sql`true` : matchesSearch(search)}
    ), found AS MATERIALIZED (
      SELECT *, ${key} AS key FROM searched WHERE ${filter ? FILTER_PREDICATES[filter] : sql`true`}
    ), page AS MATERIALIZED (
      SELECT * FROM found WHERE ${isAfterCursor} ORDER BY key ${order}, id ${order} LIMIT ${limit}
    )
    SELECT page.id, page.key::text AS key, type, slug, name, sites, active_sites, outdated_sites,
      ${newestVersion(scope)} AS newest_version, top.versions, top.other_versions,
      (SELECT count(*) FROM (SELECT FROM found LIMIT ${TOTAL_MAX + 1}) AS matches) AS count
    FROM page CROSS JOIN LATERAL (${topVersions(scope)}) AS top
    ORDER BY page.key ${order}, page.id ${order}`.execute(db);
  return {
    rows: rows.map(({ count: _, ...row }) => row),
    count: rows[0]?.count ?? 0,
  };
}

const newestVersion = (scope: number) => sql`(
  SELECT newest FROM software_counts c WHERE c.scope = ${scope} AND c.software_id = page.id
  ORDER BY newest_rank DESC, newest DESC LIMIT 1)`;

const topVersions = (scope: number) => sql`
  SELECT coalesce(jsonb_agg(jsonb_build_object('version', version, 'sites', sites) ORDER BY n)
      FILTER (WHERE n <= ${TOP_VERSIONS}), '[]') AS versions,
    greatest(count(*) - ${TOP_VERSIONS}, 0) AS other_versions
  FROM (
    SELECT version, sum(sites) AS sites,
      row_number() OVER (ORDER BY sum(sites) DESC, min(version_rank) DESC, version DESC) AS n
    FROM software_counts c WHERE c.scope = ${scope} AND c.software_id = page.id GROUP BY version
  ) AS ranked`;
