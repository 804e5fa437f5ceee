import type { Insertable, Selectable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { LicenseTables } from './tables.ts';

export type EnrolmentCodeRecord = Selectable<LicenseTables['enrolment_codes']>;

export async function insertCode(
  trx: Trx,
  code: Insertable<LicenseTables['enrolment_codes']>,
): Promise<number> {
  const query = tables(trx).insertInto('enrolment_codes').values(code).returning('id');
  return (await query.executeTakeFirstOrThrow()).id;
}

export async function findLicenseIdOfCode(db: Database, codeHash: string): Promise<number | null> {
  const query = tables(db)
    .selectFrom('enrolment_codes')
    .select('license_id')
    .where('code_hash', '=', Buffer.from(codeHash, 'hex'));
  return (await query.executeTakeFirst())?.license_id ?? null;
}

/** Finds a code with the state that decides whether it can connect a site. */
export function findCode(db: Database, codeHash: string) {
  return tables(db)
    .selectFrom('enrolment_codes as c')
    .innerJoin('licenses as l', 'l.id', 'c.license_id')
    .select(['c.used_at', 'c.expires_at', 'l.status as license_status'])
    .where('c.code_hash', '=', Buffer.from(codeHash, 'hex'))
    .executeTakeFirst();
}

/** Locks the code until the transaction ends, so that it is not revoked meanwhile. Lock its license first. */
export function lockCode(trx: Trx, codeHash: string): Promise<EnrolmentCodeRecord | undefined> {
  return tables(trx)
    .selectFrom('enrolment_codes')
    .selectAll()
    .where('code_hash', '=', Buffer.from(codeHash, 'hex'))
    .forUpdate()
    .executeTakeFirst();
}

export async function markCodeUsed(
  trx: Trx,
  id: number,
  use: { siteId: number; now: Date },
): Promise<void> {
  await tables(trx)
    .updateTable('enrolment_codes')
    .set({ used_at: use.now, site_id: use.siteId })
    .where('id', '=', id)
    .execute();
}

export function listNewestCodes(db: Database, licenseId: number, limit: number) {
  return tables(db)
    .selectFrom('enrolment_codes as c')
    .leftJoin('sites as s', 's.id', 'c.site_id')
    .select([
      'c.id',
      'c.code_last_six',
      'c.created_at',
      'c.expires_at',
      'c.used_at',
      'c.site_id',
      's.url as site_url',
    ])
    .where('c.license_id', '=', licenseId)
    .orderBy('c.id', 'desc')
    .limit(limit)
    .execute();
}

/** Returns the deleted code, or undefined if it does not exist. */
export function deleteCode(trx: Trx, id: number): Promise<EnrolmentCodeRecord | undefined> {
  return tables(trx)
    .deleteFrom('enrolment_codes')
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteUnusedCodes(trx: Trx, expiredBefore: Date): Promise<void> {
  await tables(trx)
    .deleteFrom('enrolment_codes')
    .where('used_at', 'is', null)
    .where('expires_at', '<', expiredBefore)
    .execute();
}
