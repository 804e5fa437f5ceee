import type { Insertable, Selectable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { LicenseTables } from './tables.ts';

export type Enrolment = Selectable<LicenseTables['enrolments']>;

/** A newer enrolment replaces an older one: if a user connects a site twice, the site has the newer token. */
export async function saveEnrolment(
  trx: Trx,
  enrolment: Insertable<LicenseTables['enrolments']>,
): Promise<void> {
  await tables(trx)
    .insertInto('enrolments')
    .values(enrolment)
    .onConflict((conflict) => conflict.column('site_id').doUpdateSet(enrolment))
    .execute();
}

export function lockEnrolment(trx: Trx, siteId: number): Promise<Enrolment | undefined> {
  const query = tables(trx).selectFrom('enrolments').selectAll().where('site_id', '=', siteId);
  return query.forUpdate().executeTakeFirst();
}

/** Finds the site whose pending enrolment has this key. */
export async function findSiteOfPendingKey(db: Database, keyHash: string): Promise<number | null> {
  const query = tables(db)
    .selectFrom('enrolments')
    .select('site_id')
    .where('site_key_hash', '=', Buffer.from(keyHash, 'hex'));
  return (await query.executeTakeFirst())?.site_id ?? null;
}

export async function hasEnrolment(db: Database, siteId: number): Promise<boolean> {
  const query = tables(db).selectFrom('enrolments').select('site_id').where('site_id', '=', siteId);
  return (await query.executeTakeFirst()) !== undefined;
}

export async function deleteEnrolment(trx: Trx, siteId: number): Promise<void> {
  await tables(trx).deleteFrom('enrolments').where('site_id', '=', siteId).execute();
}
