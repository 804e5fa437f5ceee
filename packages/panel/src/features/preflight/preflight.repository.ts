import type { PendingItem, SiteFault, SiteStatus, StoredPreflight } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/tables.ts';

export type SiteToCheck = {
  id: number;
  name: string;
  status: SiteStatus;
  fault: SiteFault | null;
  fault_error: string | null;
  php_version: string;
  cms_version: string;
  preflight: StoredPreflight | null;
  preflight_at: Date | null;
};

/** Reads the sites with these ids that the user may see, sorted by name. */
export async function readSitesToCheck(
  db: Database,
  ids: number[],
  visible: RawBuilder<SqlBool>,
  status: RawBuilder<SiteStatus>,
): Promise<SiteToCheck[]> {
  const { rows } = await sql<SiteToCheck>`
    SELECT s.id, s.name, ${status} AS status, s.fault, s.fault_error, a.php_version, a.cms_version,
      s.preflight, s.preflight_at
    FROM sites s JOIN license_activations a ON a.site_id = s.id
    WHERE s.id = ANY(${ids}::bigint[]) AND ${visible} ORDER BY s.name, s.id`.execute(db);
  return rows;
}

export async function readPendingItems(
  db: Database,
  siteIds: number[],
): Promise<(PendingItem & { site_id: number })[]> {
  const { rows } = await sql<PendingItem & { site_id: number }>`
    SELECT i.site_id, w.type, w.slug, w.name, i.new_version AS version, i.active
    FROM site_software i JOIN software w ON w.id = i.software_id
    WHERE i.site_id = ANY(${siteIds}::bigint[]) AND i.new_version IS NOT NULL
      AND NOT w.is_management_plugin ORDER BY i.site_id, w.type, w.name`.execute(db);
  return rows;
}

/** Finds the sites at these addresses. An address can belong to several licenses. */
export async function findSiteIdsByAddress(
  db: Database,
  canonicalUrls: string[],
): Promise<{ id: number; canonical_url: string }[]> {
  return db
    .selectFrom('sites')
    .select(['id', 'canonical_url'])
    .where('canonical_url', 'in', canonicalUrls)
    .where('archived_at', 'is', null)
    .orderBy('id')
    .execute();
}
