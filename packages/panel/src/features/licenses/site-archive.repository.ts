import type { Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

export function findSiteToArchive(
  trx: Trx,
  siteId: number,
): Promise<{ license_id: number; archived_at: Date | null } | undefined> {
  return tables(trx)
    .selectFrom('sites')
    .select(['license_id', 'archived_at'])
    .where('id', '=', siteId)
    .executeTakeFirst();
}
