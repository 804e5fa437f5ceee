import type { OfferedItem, SiteStatus } from '@steward/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import type { Predicate } from './search/index.ts';

export type SiteToUpdate = {
  id: number;
  name: string;
  status: SiteStatus;
  pending_plugins: number;
  pending_themes: number;
  pending_core: number;
  supports_items: boolean;
};

/** Reads the sites with these ids that the user may see, sorted by name. */
export async function readSitesToUpdate(
  db: Database,
  ids: number[],
  visible: Predicate,
  status: RawBuilder<SiteStatus>,
): Promise<SiteToUpdate[]> {
  const { rows } = await sql<SiteToUpdate>`
    SELECT s.id, site_label(s.display_name, s.url) AS name, ${status} AS status, s.pending_plugins, s.pending_themes, s.pending_core,
      EXISTS (SELECT FROM license_activations a WHERE a.site_id = s.id
        AND a.capabilities @> '{update.items}') AS supports_items
    FROM sites s WHERE s.id = ANY(${ids}::bigint[]) AND ${visible} ORDER BY s.name, s.id`.execute(
    db,
  );
  return rows;
}

/** Lists the pending updates of these sites, those on most sites first. */
export async function listOfferedItems(db: Database, siteIds: number[]): Promise<OfferedItem[]> {
  const { rows } = await sql<OfferedItem>`
    SELECT s.type, s.slug, s.name, i.new_version AS version,
      array_agg(DISTINCT i.version) AS old_versions, array_agg(i.site_id ORDER BY i.site_id) AS site_ids
    FROM unnest(${siteIds}::bigint[]) AS wanted (id) JOIN site_software i ON i.site_id = wanted.id
    JOIN software s ON s.id = i.software_id
    WHERE i.new_version IS NOT NULL AND NOT s.is_management_plugin
    GROUP BY s.id, i.new_version ORDER BY count(*) DESC, s.name, i.new_version`.execute(db);
  return rows;
}
