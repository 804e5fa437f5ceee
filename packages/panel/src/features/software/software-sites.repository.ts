import type { SoftwareItemQuery } from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { ALL_SITES, type CurrentUser, scopeOf } from '../site-access/index.ts';

/** The software to find on sites; optionally only in one version, or only with a pending update. */
export type InstalledSoftware = SoftwareItemQuery & {
  version?: string | undefined;
  isOutdated?: boolean | undefined;
};

/** Finds the software. `sites` counts all matching sites, `visibleSites` those the user may see. Null: no site matches. */
export async function findSoftware(
  db: Database,
  user: CurrentUser,
  { type, slug, version, isOutdated = false }: InstalledSoftware,
): Promise<{ id: number; sites: number; visibleSites: number } | null> {
  const scope = scopeOf(user);
  const { rows } = await sql<{ id: number; sites: number; visible_sites: number }>`
    SELECT s.id, coalesce(sum(c.sites) FILTER (WHERE c.scope = ${ALL_SITES}), 0) AS sites,
      coalesce(sum(c.sites) FILTER (WHERE c.scope = ${scope}), 0) AS visible_sites
    FROM software s JOIN software_counts c
      ON c.software_id = s.id AND c.scope IN (${ALL_SITES}, ${scope})
    WHERE s.type = ${type} AND s.slug = ${slug}
      AND ${version === undefined ? sql`true` : sql`c.version = ${version}`}
      AND ${isOutdated ? sql`c.new_version IS NOT NULL AND NOT s.is_management_plugin` : sql`true`}
    GROUP BY s.id`.execute(db);
  const [row] = rows;
  return row ? { id: row.id, sites: row.sites, visibleSites: row.visible_sites } : null;
}

type InstalledOnSite = {
  site_id: number;
  version: string;
  new_version: string | null;
  active: boolean;
  changed_at: Date | null;
};

/** Finds the item on these sites, and when each of them first reported its version. */
export async function listInstalledOn(
  db: Database,
  siteIds: number[],
  { type, slug }: SoftwareItemQuery,
): Promise<Map<number, InstalledOnSite>> {
  const { rows } = await sql<InstalledOnSite>`
    SELECT i.site_id, i.version, i.active,
      CASE WHEN NOT s.is_management_plugin THEN i.new_version END AS new_version,
      (SELECT h.at FROM version_history h WHERE h.site_id = i.site_id AND h.type = s.type AND h.slug = s.slug
       ORDER BY h.at DESC LIMIT 1) AS changed_at
    FROM software s JOIN site_software i ON i.software_id = s.id
    WHERE s.type = ${type} AND s.slug = ${slug} AND i.site_id = ANY(${siteIds}::bigint[])`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.site_id, row]));
}
