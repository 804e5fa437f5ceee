import type { Inventory } from '@steward/contract';
import { sql } from 'kysely';
import { BOUNDS } from '../../platform/bounded-json.ts';

/** Builds the SQL expression for the stored inventory. Null if it has more items than a report may have today. */
export function inventoryIfWithinLimit(column: string) {
  const lengthOf = (list: string) =>
    sql`coalesce(jsonb_array_length(${sql.ref(column)} -> ${sql.lit(list)}), 0)`;
  return sql<Inventory | null>`CASE
    WHEN ${lengthOf('plugins')} + ${lengthOf('themes')} <= ${BOUNDS.items}
    THEN ${sql.ref(column)} END`;
}
