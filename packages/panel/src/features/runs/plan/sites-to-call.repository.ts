import type { SiteStatus } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../platform/database/handles.ts';
import { inNaturalOrder } from '../../../platform/database/natural-order.ts';
import type { SiteToCall } from './find-obstacle.ts';

export type ReadSite = SiteToCall & {
  capabilities: string[] | null;
  pending_plugins: number;
  pending_themes: number;
  pending_core: number;
};

/** Reads the sites with these ids that the user may see, sorted by name. */
export async function readSitesToCall(
  db: Database,
  ids: number[],
  visible: RawBuilder<SqlBool>,
  status: RawBuilder<SiteStatus>,
): Promise<ReadSite[]> {
  const { rows } = await sql<ReadSite>`
    SELECT s.id, site_label(s.display_name, s.url) AS name, ${status} AS status,
      s.pending_plugins, s.pending_themes, s.pending_core, a.status AS activation_status, a.key_ends_at, a.capabilities,
      l.status AS license_status, l.expires_at
    FROM sites s LEFT JOIN license_activations a ON a.site_id = s.id LEFT JOIN licenses l ON l.id = s.license_id
    WHERE s.id = ANY(${ids}::bigint[]) AND ${visible} ORDER BY ${inNaturalOrder(sql`s.name`)}, s.id`.execute(
    db,
  );
  return rows;
}

/** Reads the installed version of one plugin or theme on each site. */
export async function readInstalledVersions(
  db: Database,
  siteIds: number[],
  { type, slug }: { type: string; slug: string },
): Promise<Map<number, string>> {
  const { rows } = await sql<{ site_id: number; version: string }>`
    SELECT i.site_id, i.version FROM software w JOIN site_software i ON i.software_id = w.id
    WHERE w.type = ${type} AND w.slug = ${slug} AND i.site_id = ANY(${siteIds}::bigint[])`.execute(
    db,
  );
  return new Map(rows.map(({ site_id, version }) => [site_id, version]));
}

/** Reads the version of the Steward plugin on each site. A site with the agent reports none. */
export async function readStewardVersions(
  db: Database,
  siteIds: number[],
): Promise<Map<number, string>> {
  const { rows } = await sql<{ site_id: number; version: string }>`
    SELECT i.site_id, i.version FROM software w JOIN site_software i ON i.software_id = w.id
    WHERE w.is_management_plugin AND i.site_id = ANY(${siteIds}::bigint[])`.execute(db);
  return new Map(rows.map(({ site_id, version }) => [site_id, version]));
}
