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
