import type { Insertable, Selectable } from 'kysely';
import type { Database, Tables, Trx } from '../../platform/database/tables.ts';

export type Enrolment = Selectable<Tables['enrolments']>;

/** A newer enrolment replaces the older: a user who connects a site twice has the second token. */
export async function saveEnrolment(
  trx: Trx,
  enrolment: Insertable<Tables['enrolments']>,
): Promise<void> {
  await trx
    .insertInto('enrolments')
    .values(enrolment)
    .onConflict((conflict) => conflict.column('site_id').doUpdateSet(enrolment))
    .execute();
}

export function lockEnrolment(trx: Trx, siteId: number): Promise<Enrolment | undefined> {
  const query = trx.selectFrom('enrolments').selectAll().where('site_id', '=', siteId);
  return query.forUpdate().executeTakeFirst();
}

/** The site whose enrolment has this key. The key is not valid yet. */
export async function findSiteOfPendingKey(db: Database, keyHash: string): Promise<number | null> {
  const query = db
    .selectFrom('enrolments')
    .select('site_id')
    .where('site_key_hash', '=', Buffer.from(keyHash, 'hex'));
  return (await query.executeTakeFirst())?.site_id ?? null;
}

export async function hasEnrolment(db: Database, siteId: number): Promise<boolean> {
  const query = db.selectFrom('enrolments').select('site_id').where('site_id', '=', siteId);
  return (await query.executeTakeFirst()) !== undefined;
}

export async function deleteEnrolment(trx: Trx, siteId: number): Promise<void> {
  await trx.deleteFrom('enrolments').where('site_id', '=', siteId).execute();
}
