import type { StoredLicenseStatus } from '@steward/contract';
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { executePrepared } from '../../platform/database/prepared-statements.ts';
import { utcDay } from '../../platform/utc-day.ts';
import { tables } from './database.ts';
import { findLicenseKeyKind, type LicenseKeys } from './key-rule.ts';
import type { LicenseTables } from './tables.ts';

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
  old_key_hash: Buffer | null;
  /** The last six characters of the old key; null if the key was never replaced. */
  old_key_last_six: string | null;
  old_key_ends_at: Date | null;
  site_limit: number | null;
  status: StoredLicenseStatus;
  expires_at: Date | null;
  created_at: Date;
  counted_sites: number;
  uncounted_sites: number;
  /** Seats that have had a site; see `seat-rule.ts`. */
  opened_counted_seats: number;
  opened_uncounted_seats: number;
  /** The site that left last; null if a site was activated since. */
  counted_seat_left_by: number | null;
  uncounted_seat_left_by: number | null;
  /** The number of new sites on `new_sites_day`, a date such as 2026-06-01. */
  new_sites: number;
  new_sites_day: string | null;
};

export async function insertLicense(
  trx: Trx,
  license: Insertable<LicenseTables['licenses']>,
): Promise<number> {
  const row = await tables(trx)
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
  return license && hasValidKey(license, ref) ? license : undefined;
}

export async function findLicense(
  db: Database,
  ref: LicenseRef,
): Promise<LicenseRecord | undefined> {
  const [license] = await executePrepared(db, selectLicenses(db).where(whereLicense(ref)));
  return license && hasValidKey(license, ref) ? license : undefined;
}

/** A license by its id, or by a license key that must be valid at `now`. */
export type LicenseRef = { id: number } | { keyHash: string; now: Date };

/** Also matches an old key that has expired; `hasValidKey` decides. */
export function whereLicense(ref: LicenseRef) {
  if ('id' in ref) return sql<boolean>`l.id = ${ref.id}`;
  const hash = Buffer.from(ref.keyHash, 'hex');
  return sql<boolean>`(l.key_hash = ${hash} OR l.old_key_hash = ${hash})`;
}

export const hasValidKey = (license: LicenseKeys, ref: LicenseRef): boolean =>
  'id' in ref || findLicenseKeyKind({ hash: ref.keyHash }, license, ref.now) !== null;

export function listLicenses(db: Database): Promise<LicenseRecord[]> {
  return selectLicenses(db).orderBy('l.id').execute();
}

export async function findEncryptedKey(db: Database, id: number): Promise<Buffer | undefined> {
  const query = tables(db).selectFrom('licenses').select('key_encrypted').where('id', '=', id);
  return (await query.executeTakeFirst())?.key_encrypted;
}

export async function hasLicenses(db: Database): Promise<boolean> {
  return (
    (await tables(db).selectFrom('licenses').select('id').limit(1).executeTakeFirst()) !== undefined
  );
}

export async function updateLicense(
  trx: Trx,
  id: number,
  change: Updateable<LicenseTables['licenses']>,
): Promise<void> {
  await tables(trx).updateTable('licenses').set(change).where('id', '=', id).execute();
}

/** Adds an active site to the counts of a locked license. `newSiteAt`: the site is new. */
export async function addActiveSite(
  trx: Trx,
  licenseId: number,
  site: { counted: boolean; openedSeats: number; newSiteAt: Date | null },
): Promise<void> {
  const { sites, opened, leftBy } = site.counted ? COUNTED_COLUMNS : UNCOUNTED_COLUMNS;
  const day = site.newSiteAt && utcDay(site.newSiteAt);
  const countNewSite = day
    ? sql`, new_sites_day = ${day}::date,
        new_sites = CASE WHEN new_sites_day = ${day}::date THEN new_sites + 1 ELSE 1 END`
    : sql``;
  const statement = sql`UPDATE licenses
    SET ${sites} = ${sites} + 1, ${opened} = ${site.openedSeats}, ${leftBy} = NULL ${countNewSite}
    WHERE id = ${licenseId}`;
  await executePrepared(trx, statement.compile(trx));
}

/** Removes an active site from the counts of a locked license. */
export async function removeActiveSite(
  trx: Trx,
  licenseId: number,
  { counted, siteId }: { counted: boolean; siteId: number },
): Promise<void> {
  const { sites, opened, leftBy } = counted ? COUNTED_COLUMNS : UNCOUNTED_COLUMNS;
  // The site may have connected through an older version of the panel, which does not count opened seats.
  const statement = sql`UPDATE licenses
    SET ${sites} = ${sites} - 1, ${opened} = greatest(${opened}, ${sites}), ${leftBy} = ${siteId}
    WHERE id = ${licenseId}`;
  await executePrepared(trx, statement.compile(trx));
}

const COUNTED_COLUMNS = {
  sites: sql.ref('counted_sites'),
  opened: sql.ref('opened_counted_seats'),
  leftBy: sql.ref('counted_seat_left_by'),
};
const UNCOUNTED_COLUMNS = {
  sites: sql.ref('uncounted_sites'),
  opened: sql.ref('opened_uncounted_seats'),
  leftBy: sql.ref('uncounted_seat_left_by'),
};

export function selectLicenses(db: Database) {
  return tables(db)
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
      'l.old_key_hash',
      'l.old_key_last_six',
      'l.old_key_ends_at',
      'l.site_limit',
      'l.status',
      'l.expires_at',
      'l.created_at',
      'l.counted_sites',
      'l.uncounted_sites',
      'l.opened_counted_seats',
      'l.opened_uncounted_seats',
      'l.counted_seat_left_by',
      'l.uncounted_seat_left_by',
      'l.new_sites',
      sql<string | null>`l.new_sites_day::text`.as('new_sites_day'),
    ]);
}
