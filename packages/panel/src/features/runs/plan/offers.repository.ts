import type { OfferedItem } from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../../platform/database/handles.ts';
import { inNaturalOrder } from '../../../platform/database/natural-order.ts';

/** `can_choose`: whether the sites can install selected updates. Sites that can and sites that cannot have own entries. */
export type Offer = OfferedItem & { can_choose: boolean };

/** Lists the pending updates of these sites, those on most sites first. */
export async function listOffers(
  db: Database,
  siteIds: number[],
  choosing: ReadonlySet<number>,
): Promise<Offer[]> {
  const canChoose = siteIds.map((id) => choosing.has(id));
  const { rows } = await sql<Offer>`
    SELECT s.type, s.slug, s.name, i.new_version AS version, wanted.can_choose,
      array_agg(DISTINCT i.version) AS old_versions, array_agg(i.site_id ORDER BY i.site_id) AS site_ids
    FROM unnest(${siteIds}::bigint[], ${canChoose}::boolean[]) AS wanted (id, can_choose)
    JOIN site_software i ON i.site_id = wanted.id
    JOIN software s ON s.id = i.software_id
    WHERE i.new_version IS NOT NULL AND NOT s.is_management_plugin
    GROUP BY s.id, i.new_version, wanted.can_choose
    ORDER BY count(*) DESC, ${inNaturalOrder(sql`s.name`)}, i.new_version`.execute(db);
  return rows;
}
