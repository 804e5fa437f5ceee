import type { SoftwareType } from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';

export type InstalledVersion = {
  type: SoftwareType;
  slug: string;
  name: string;
  version: string;
  since: Date;
};

/** Lists what was installed on a site at this time, according to its reports until then. */
export async function listVersionsAt(
  db: Database,
  siteId: number,
  at: Date,
): Promise<InstalledVersion[]> {
  const { rows } = await sql<InstalledVersion>`
    SELECT type, slug, name, version, at AS since FROM (
      SELECT DISTINCT ON (type, slug) * FROM version_history
      WHERE site_id = ${siteId} AND at <= ${at} ORDER BY type, slug, at DESC
    ) AS newest
    WHERE version IS NOT NULL ORDER BY type, ${inNaturalOrder(sql`name`)}, slug`.execute(db);
  return rows;
}

/** `old_version` is null if the item was added, `new_version` if it was removed. */
export type VersionChange = {
  id: number;
  at: Date;
  type: SoftwareType;
  slug: string;
  name: string;
  old_version: string | null;
  new_version: string | null;
};

/** Lists the changes on a site, the newest first. */
export async function listVersionChanges(
  db: Database,
  siteId: number,
  { beforeId, limit }: { beforeId: number | undefined; limit: number },
): Promise<VersionChange[]> {
  const isBefore = beforeId === undefined ? sql`` : sql`AND id < ${beforeId}`;
  const { rows } = await sql<VersionChange>`
    SELECT id, at, type, slug, name, version AS new_version,
      (SELECT earlier.version FROM version_history earlier
       WHERE earlier.site_id = h.site_id AND earlier.type = h.type AND earlier.slug = h.slug
         AND earlier.at < h.at ORDER BY earlier.at DESC LIMIT 1) AS old_version
    FROM version_history h
    WHERE site_id = ${siteId} ${isBefore} ORDER BY id DESC LIMIT ${limit}`.execute(db);
  return rows;
}
