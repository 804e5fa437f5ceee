import type { HeldItems } from '@steward/contract';
import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { RunItem } from './tables.ts';

/** The sites that accept a list of items in an update. */
export async function listSitesWithItemUpdates(
  db: Database,
  siteIds: number[],
): Promise<Set<number>> {
  const { rows } = await sql<{ site_id: number }>`
    SELECT site_id FROM license_activations
    WHERE site_id = ANY(${siteIds}::bigint[]) AND capabilities @> '{update.items}'`.execute(db);
  return new Set(rows.map(({ site_id }) => site_id));
}

export type ChangedItems = { id: number; items: RunItem[] | null; held: HeldItems | null };

/** Stores the items of tasks whose items changed between the creation of the run and the call. */
export async function updateTaskItems(trx: Trx, tasks: ChangedItems[]): Promise<void> {
  if (tasks.length === 0) return;
  await sql`
    UPDATE run_tasks t SET items = nullif(e.items, 'null'), held = nullif(e.held, 'null')
    FROM jsonb_populate_recordset(NULL::run_tasks, ${JSON.stringify(tasks)}::jsonb) e
    WHERE t.id = e.id`.execute(trx);
}
