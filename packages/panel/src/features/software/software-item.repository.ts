import {
  ITEM_VERSIONS_MAX,
  type SoftwareItem,
  type SoftwareItemQuery,
  type SoftwareVersion,
  VERSION_OFFERS_MAX,
} from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';

type ItemRow = Omit<SoftwareItem, 'versions' | 'other_versions'> & {
  id: number;
  version_count: number;
};

type InstalledVersion = Omit<SoftwareVersion, 'health'>;

const IS_OUTDATED = sql`c.new_version IS NOT NULL AND NOT s.is_management_plugin`;

/** Returns undefined if no site of the scope has the item. */
export async function findItem(
  db: Database,
  scope: number,
  { type, slug }: SoftwareItemQuery,
): Promise<ItemRow | undefined> {
  const { rows } = await sql<ItemRow>`
    SELECT s.id, s.type, s.slug, s.name, sum(c.sites) AS sites, sum(c.active_sites) AS active_sites,
      coalesce(sum(c.sites) FILTER (WHERE ${IS_OUTDATED}), 0) AS outdated_sites,
      (array_agg(c.newest ORDER BY c.newest_rank DESC, c.newest DESC))[1] AS newest_version,
      count(DISTINCT c.version) AS version_count
    FROM software s JOIN software_counts c ON c.software_id = s.id AND c.scope = ${scope}
    WHERE s.type = ${type} AND s.slug = ${slug}
    GROUP BY s.id`.execute(db);
  return rows[0];
}

/** Lists at most `ITEM_VERSIONS_MAX` versions, the newest first. */
export async function listVersions(
  db: Database,
  scope: number,
  softwareId: number,
): Promise<InstalledVersion[]> {
  const { rows } = await sql<InstalledVersion>`
    SELECT c.version, sum(c.sites) AS sites, sum(c.active_sites) AS active_sites,
      coalesce(sum(c.sites) FILTER (WHERE ${IS_OUTDATED}), 0) AS outdated_sites,
      coalesce(jsonb_agg(jsonb_build_object('new_version', c.new_version, 'sites', c.sites) ORDER BY c.n)
        FILTER (WHERE c.n <= ${VERSION_OFFERS_MAX} AND c.new_version IS NOT NULL), '[]') AS offers
    FROM software s JOIN (
      SELECT *, row_number() OVER (
        PARTITION BY version ORDER BY new_version IS NULL, sites DESC, newest_rank DESC, new_version) AS n
      FROM software_counts WHERE scope = ${scope} AND software_id = ${softwareId}
    ) AS c ON c.software_id = s.id
    GROUP BY c.version, c.version_rank
    ORDER BY c.version_rank DESC, c.version DESC LIMIT ${ITEM_VERSIONS_MAX}`.execute(db);
  return rows;
}
