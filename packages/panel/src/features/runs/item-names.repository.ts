import type { RunSummaryResponse } from '@steward/contract';
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Database } from '../../platform/database/handles.ts';
import type { CurrentUser } from '../site-access/index.ts';

export type ItemName = Static<typeof RunSummaryResponse>['item_names'][number];
export type ItemKey = Pick<ItemName, 'type' | 'slug'>;

/**
 * Lists the names of these items. Omits items that no visible site has: their names would reveal what is
 * installed on other sites.
 */
export async function listItemNames(
  db: Database,
  user: CurrentUser,
  items: ItemKey[],
): Promise<ItemName[]> {
  if (items.length === 0) return [];
  const scope = user.role === 'owner' ? 0 : user.id;
  const { rows } = await sql<ItemName>`
    SELECT s.type, s.slug, s.name FROM software s
    WHERE (s.type, s.slug) IN (
        SELECT r.type, r.slug
        FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb) AS r (type text, slug text))
      AND EXISTS (
        SELECT 1 FROM software_counts c WHERE c.software_id = s.id AND c.scope = ${scope} AND c.sites > 0)
    ORDER BY s.type, s.slug`.execute(db);
  return rows;
}
