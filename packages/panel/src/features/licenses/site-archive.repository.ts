import type { Trx } from '../../platform/database/tables.ts';

export function findSiteToArchive(
  trx: Trx,
  siteId: number,
  { lock = false } = {},
): Promise<{ license_id: number; archived_at: Date | null } | undefined> {
  return trx
    .selectFrom('sites')
    .select(['license_id', 'archived_at'])
    .where('id', '=', siteId)
    .$if(lock, (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
}
