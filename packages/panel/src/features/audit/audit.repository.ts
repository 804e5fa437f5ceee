import type { Insertable } from 'kysely';
import type { Tables, Trx } from '../../database/tables.ts';

export async function insertAuditRecord(
  trx: Trx,
  record: Insertable<Tables['audit_log']>,
): Promise<void> {
  await trx.insertInto('audit_log').values(record).execute();
}
