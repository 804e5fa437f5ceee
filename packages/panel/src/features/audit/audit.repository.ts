import type { Insertable } from 'kysely';
import type { Tables, Trx } from '../../database/tables.ts';

/** A statement may have 65,535 parameters, and a record takes nine. */
const RECORDS_PER_STATEMENT = 5000;

export async function insertAuditRecords(
  trx: Trx,
  records: Insertable<Tables['audit_log']>[],
): Promise<void> {
  for (let at = 0; at < records.length; at += RECORDS_PER_STATEMENT) {
    const some = records.slice(at, at + RECORDS_PER_STATEMENT);
    await trx.insertInto('audit_log').values(some).execute();
  }
}
