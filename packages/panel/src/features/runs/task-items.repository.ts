import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import type { InstalledItem } from './choose-items.ts';
import { folderOf, type UsedFolder } from './choose-packages.ts';
import type { SavedVersion } from './choose-saved-versions.ts';
import type { RunItem } from './tables.ts';

type OfSite<Item> = Item & { site_id: number };

/** Lists which of the requested items the sites have, according to their last reports. */
export async function listInstalledItems(
  db: Database,
  siteIds: number[],
  requested: RunItem[],
): Promise<OfSite<InstalledItem>[]> {
  const { rows } = await sql<OfSite<InstalledItem>>`
    SELECT DISTINCT i.site_id, s.type, s.slug, i.new_version
    FROM jsonb_to_recordset(${JSON.stringify(requested)}::jsonb) AS r (type text, slug text)
    JOIN software s ON s.type = r.type AND s.slug = r.slug
    JOIN site_software i ON i.software_id = s.id
    WHERE i.site_id = ANY(${siteIds}::bigint[])`.execute(db);
  return rows;
}

/** Lists the saved versions of the requested items, the most recently replaced first, as the sites reported them. */
export async function listSavedVersions(
  db: Database,
  siteIds: number[],
  requested: RunItem[],
): Promise<OfSite<SavedVersion>[]> {
  // Because of the join with `site_software`, the query reads only inventories of sites that have a requested item.
  const { rows } = await sql<OfSite<SavedVersion>>`
    SELECT i.site_id, r.type, r.slug, saved.version
    FROM (SELECT DISTINCT type, slug
      FROM jsonb_to_recordset(${JSON.stringify(requested)}::jsonb) AS r (type text, slug text)) AS r
    JOIN software s ON s.type = r.type AND s.slug = r.slug
    JOIN site_software i ON i.software_id = s.id AND i.site_id = ANY(${siteIds}::bigint[])
    JOIN sites ON sites.id = i.site_id
    CROSS JOIN LATERAL saved_versions(sites.inventory, r.type, r.slug) AS saved
    ORDER BY i.site_id, saved.age`.execute(db);
  return rows;
}

/** Lists which folders of the requested items the sites already use, according to their last reports. */
export async function listUsedFolders(
  db: Database,
  siteIds: number[],
  requested: RunItem[],
): Promise<OfSite<UsedFolder>[]> {
  const wanted = requested.map((item) => ({ type: item.type, folder: folderOf(item) }));
  const { rows } = await sql<OfSite<UsedFolder>>`
    SELECT DISTINCT i.site_id, s.type, r.folder
    FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) AS r (type text, folder text)
    JOIN software s ON s.type = r.type AND split_part(s.slug, '/', 1) = r.folder
    JOIN site_software i ON i.software_id = s.id
    WHERE i.site_id = ANY(${siteIds}::bigint[])`.execute(db);
  return rows;
}
