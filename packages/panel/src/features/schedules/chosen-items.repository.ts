import type { ScheduleItem } from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';

export type ScopedItem = ScheduleItem & { scope: number };

/** Finds the items that are on a site of their scope. Without the Steward plugin, which has its own update. */
export async function findSoftware(
  db: Database,
  items: ScopedItem[],
): Promise<(ScopedItem & { name: string })[]> {
  if (items.length === 0) return [];
  const { rows } = await sql<ScopedItem & { name: string }>`
    SELECT DISTINCT w.scope, s.type, s.slug, s.name
    FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb) AS w (scope bigint, type text, slug text)
    JOIN software s ON s.type = w.type AND s.slug = w.slug
    WHERE NOT s.is_management_plugin AND EXISTS (SELECT FROM software_counts c
      WHERE c.software_id = s.id AND c.scope = w.scope AND c.sites > 0)`.execute(db);
  return rows;
}

/** Counts the sites with a pending update of one of the types, or of one of the items. */
export async function countSitesWithUpdates(
  db: Database,
  siteIds: number[],
  { types, items }: { types: string[]; items: ScheduleItem[] },
): Promise<number> {
  if (siteIds.length === 0) return 0;
  const { rows } = await sql<{ sites: number }>`
    SELECT count(DISTINCT i.site_id)::int AS sites
    FROM site_software i JOIN software s ON s.id = i.software_id
    WHERE i.site_id = ANY(${siteIds}::bigint[]) AND i.new_version IS NOT NULL
      AND NOT s.is_management_plugin AND (s.type = ANY(${types}::text[]) OR (s.type, s.slug) IN (
        SELECT w.type, w.slug
        FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb) AS w (type text, slug text)))`.execute(
    db,
  );
  return rows[0]?.sites ?? 0;
}
