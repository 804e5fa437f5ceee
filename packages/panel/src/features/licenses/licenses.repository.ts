import type { StoredLicenseStatus } from '@steward/contract';
import { type Insertable, sql, type Updateable } from 'kysely';
import { executePrepared } from '../../platform/database/prepared-statements.ts';
import type { Database, Tables, Trx } from '../../platform/database/tables.ts';
import { utcDay } from '../../platform/utc-day.ts';

/** A license with its plan and the number of its active sites. */
export type LicenseRecord = {
  id: number;
  name: string | null;
  customer: string | null;
  plan_name: string;
  plan_slug: string;
  services: string[];
  key_hash: Buffer;
  key_last_six: string;
  /** The last six characters of the old key; null if the key was never replaced. */
  old_key_last_six: string | null;
  old_key_ends_at: Date | null;
  site_limit: number | null;
  status: StoredLicenseStatus;
  expires_at: Date | null;
  created_at: Date;
  counted_sites: number;
  uncounted_sites: number;
  /** The number of new sites on `new_sites_day`, a date such as 2026-06-01. */
  new_sites: number;
  new_sites_day: string | null;
};

export async function insertLicense(
  trx: Trx,
  license: Insertable<Tables['licenses']>,
): Promise<number> {
  const row = await trx
    .insertInto('licenses')
    .values(license)
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Locks the license until the transaction ends. */
export async function lockLicense(trx: Trx, ref: LicenseRef): Promise<LicenseRecord | undefined> {
  const query = selectLicenses(trx).where(whereLicense(ref)).forNoKeyUpdate('l');
  const [license] = await executePrepared(trx, query);
  return license;
}

export async function findLicense(
  db: Database,
  ref: LicenseRef,
): Promise<LicenseRecord | undefined> {
  const [license] = await executePrepared(db, selectLicenses(db).where(whereLicense(ref)));
  return license;
}

export type LicenseRef = { id: number } | { keyHash: string; now: Date };

/** A key hash matches the current key, or the old key until it expires. */
export function whereLicense(ref: LicenseRef) {
  if ('id' in ref) return sql<boolean>`l.id = ${ref.id}`;
  const hash = Buffer.from(ref.keyHash, 'hex');
  return sql<boolean>`(l.key_hash = ${hash} OR l.old_key_hash = ${hash} AND l.old_key_ends_at > ${ref.now})`;
}

export function listLicenses(db: Database): Promise<LicenseRecord[]> {
  return selectLicenses(db).orderBy('l.id').execute();
}

export async function findEncryptedKey(db: Database, id: number): Promise<Buffer | undefined> {
  const query = db.selectFrom('licenses').select('key_encrypted').where('id', '=', id);
  return (await query.executeTakeFirst())?.key_encrypted;
}

export async function hasLicenses(db: Database): Promise<boolean> {
  return (await db.selectFrom('licenses').select('id').limit(1).executeTakeFirst()) !== undefined;
}

export async function updateLicense(
  trx: Trx,
  id: number,
  change: Updateable<Tables['licenses']>,
): Promise<void> {
  await trx.updateTable('licenses').set(change).where('id', '=', id).execute();
}

/** Adds one active site to the counts of a locked license, or subtracts one. `newSiteAt`: the site is new. */
export async function changeSiteCount(
  trx: Trx,
  licenseId: number,
  site: { counted: boolean; change: 1 | -1; newSiteAt?: Date | null },
): Promise<void> {
  const column = sql.ref(site.counted ? 'counted_sites' : 'uncounted_sites');
  const day = site.newSiteAt ? utcDay(site.newSiteAt) : null;
  const countNewSite = day
    ? sql`, new_sites_day = ${day}::date,
        new_sites = CASE WHEN new_sites_day = ${day}::date THEN new_sites + 1 ELSE 1 END`
    : sql``;
  const statement = sql`UPDATE licenses SET ${column} = ${column} + ${site.change}::int ${countNewSite}
    WHERE id = ${licenseId}`;
  await executePrepared(trx, statement.compile(trx));
}

export function selectLicenses(db: Database) {
  return db
    .selectFrom('licenses as l')
    .innerJoin('plans as p', 'p.id', 'l.plan_id')
    .select([
      'l.id',
      'l.name',
      'l.customer',
      'p.name as plan_name',
      'p.slug as plan_slug',
      sql<string[]>`coalesce(l.services, p.services)`.as('services'),
      'l.key_hash',
      'l.key_last_six',
      'l.old_key_last_six',
      'l.old_key_ends_at',
      'l.site_limit',
      'l.status',
      'l.expires_at',
      'l.created_at',
      'l.counted_sites',
      'l.uncounted_sites',
      'l.new_sites',
      sql<string | null>`l.new_sites_day::text`.as('new_sites_day'),
    ]);
}
