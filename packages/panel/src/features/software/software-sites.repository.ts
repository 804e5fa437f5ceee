import type { SoftwareItemQuery } from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/tables.ts';

/** Sites with this software; optionally in one version, or with a pending update. */
export type InstalledSoftware = SoftwareItemQuery & {
  version?: string | undefined;
  isOutdated?: boolean | undefined;
};

/** Returns the id, and the number of all sites that match; null if there are none. */
export async function findSoftware(
  db: Database,
  { type, slug, version, isOutdated = false }: InstalledSoftware,
): Promise<{ id: number; sites: number } | null> {
  const { rows } = await sql<{ id: number; sites: number }>`
    SELECT s.id, sum(c.sites) AS sites
    FROM software s JOIN software_counts c ON c.software_id = s.id AND c.scope = 0
    WHERE s.type = ${type} AND s.slug = ${slug}
      AND ${version === undefined ? sql`true` : sql`c.version = ${version}`}
      AND ${isOutdated ? sql`c.new_version IS NOT NULL AND NOT s.is_management_plugin` : sql`true`}
    GROUP BY s.id`.execute(db);
  return rows[0] ?? null;
}
