import type { SiteStatus } from '@steward/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/tables.ts';
import type { Predicate } from './search/index.ts';

export type SiteToUpdate = {
  id: number;
  name: string;
  status: SiteStatus;
  pending_plugins: number;
  pending_themes: number;
  pending_core: number;
};

/** Reads the sites with these ids that the user may see, sorted by name. */
export async function readSitesToUpdate(
  db: Database,
  ids: number[],
  visible: Predicate,
  status: RawBuilder<SiteStatus>,
): Promise<SiteToUpdate[]> {
  const { rows } = await sql<SiteToUpdate>`
    SELECT s.id, s.name, ${status} AS status, s.pending_plugins, s.pending_themes, s.pending_core
    FROM sites s WHERE s.id = ANY(${ids}::bigint[]) AND ${visible} ORDER BY s.name, s.id`.execute(
    db,
  );
  return rows;
}
