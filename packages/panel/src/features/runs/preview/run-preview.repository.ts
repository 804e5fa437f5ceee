import type { SiteStatus } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../../platform/database/handles.ts';

export type SiteToCall = {
  id: number;
  name: string;
  status: SiteStatus;
  capabilities: string[] | null;
  /** The version of the Steward plugin; null if the site does not report it, for example a site with the agent. */
  steward_version: string | null;
};

/** Reads the sites with these ids that the user may see, sorted by name. */
export async function readSitesToCall(
  db: Database,
  ids: number[],
  visible: RawBuilder<SqlBool>,
  status: RawBuilder<SiteStatus>,
): Promise<SiteToCall[]> {
  const { rows } = await sql<SiteToCall>`
    SELECT s.id, site_label(s.display_name, s.url) AS name, ${status} AS status,
      (SELECT a.capabilities FROM license_activations a WHERE a.site_id = s.id) AS capabilities,
      (SELECT i.version FROM site_software i JOIN software w ON w.id = i.software_id
        WHERE i.site_id = s.id AND w.is_management_plugin LIMIT 1) AS steward_version
    FROM sites s WHERE s.id = ANY(${ids}::bigint[]) AND ${visible} ORDER BY s.name, s.id`.execute(
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
