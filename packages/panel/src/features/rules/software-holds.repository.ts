import type { SoftwareType } from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';

export type Offer = {
  software_id: number;
  type: SoftwareType;
  slug: string;
  version: string;
  /** Null: sites with this version offer no update. */
  new_version: string | null;
  first_seen_at: Date | null;
};

/** Reads which versions of the software are installed and which updates the sites offer for them, the newest first. */
export async function readOffers(
  db: Database,
  scope: number,
  softwareIds: number[],
): Promise<Offer[]> {
  const { rows } = await sql<Offer>`
    SELECT s.id AS software_id, s.type, s.slug, c.version, c.new_version, v.first_seen_at
    FROM software s JOIN software_counts c ON c.software_id = s.id AND c.scope = ${scope}
    LEFT JOIN software_versions v ON v.type = s.type AND v.slug = s.slug AND v.version = c.new_version
    WHERE s.id = ANY(${softwareIds}::bigint[]) AND NOT s.is_management_plugin
    ORDER BY s.id, c.newest_rank DESC, c.new_version NULLS LAST`.execute(db);
  return rows;
}
