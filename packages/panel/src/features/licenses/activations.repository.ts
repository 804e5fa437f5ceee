import type { ActivationStatus, Environment } from '@steward/contract';
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { executePrepared } from '../../platform/database/prepared-statements.ts';
import { tables } from './database.ts';
import type { LicenseTables } from './tables.ts';

/** The activation of a license on a site, active or deactivated. */
export type ActivationRecord = {
  site_id: number;
  site_url: string;
  status: ActivationStatus;
  counted: boolean;
  environment: Environment;
  cms_version: string;
  php_version: string;
  plugin_version: string;
  token_hash: Buffer;
  token_encrypted: Buffer;
  /** Null if the site uses the license key. */
  site_key_hash: Buffer | null;
  site_key_encrypted: Buffer | null;
  capabilities: string[];
  /** When the old license key on this site expires; null if the site does not use an old key. */
  key_ends_at: Date | null;
  accepts_unsigned_calls: boolean;
  proven_at: Date | null;
  activated_at: Date;
  last_check_at: Date | null;
};

export async function findActivation(
  db: Database,
  licenseId: number,
  canonicalUrl: string,
): Promise<ActivationRecord | undefined> {
  const query = selectActivations(db)
    .where('s.license_id', '=', licenseId)
    .where('s.canonical_url', '=', canonicalUrl);
  const [activation] = await executePrepared(db, query);
  return activation;
}

export function findActivationOfSite(
  db: Database,
  licenseId: number,
  siteId: number,
): Promise<ActivationRecord | undefined> {
  return selectActivations(db)
    .where('s.license_id', '=', licenseId)
    .where('s.id', '=', siteId)
    .executeTakeFirst();
}

/** Finds the site, and its license, that a site key belongs to; with an address, only the site at this address. */
export async function findSiteBySiteKey(
  db: Database,
  keyHash: string,
  canonicalUrl?: string,
): Promise<{ site_id: number; license_id: number } | undefined> {
  let query = tables(db)
    .selectFrom('license_activations as a')
    .select(['a.site_id', 'a.license_id'])
    .where('a.site_key_hash', '=', Buffer.from(keyHash, 'hex'));
  if (canonicalUrl !== undefined) {
    query = query
      .innerJoin('sites as s', 's.id', 'a.site_id')
      .where('s.canonical_url', '=', canonicalUrl);
  }
  const [site] = await executePrepared(db, query);
  return site;
}

export function listNewestActivations(
  db: Database,
  licenseId: number,
  limit: number,
): Promise<(ActivationRecord & { site_name: string })[]> {
  return selectActivations(db)
    .select(sql<string>`site_label(s.display_name, s.url)`.as('site_name'))
    .where('a.license_id', '=', licenseId)
    .where('s.archived_at', 'is', null)
    .orderBy('a.activated_at', 'desc')
    .orderBy('a.site_id', 'desc')
    .limit(limit)
    .execute();
}

export async function countActivations(db: Database, licenseId: number): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('license_activations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('license_id', '=', licenseId)
    .where(sql<boolean>`site_id NOT IN (SELECT id FROM sites WHERE archived_at IS NOT NULL)`)
    .executeTakeFirstOrThrow();
  return count;
}

/** A site has one activation; activating again overwrites it. */
export async function upsertActivation(
  trx: Trx,
  activation: Insertable<LicenseTables['license_activations']>,
): Promise<void> {
  const statement = tables(trx)
    .insertInto('license_activations')
    .values(activation)
    .onConflict((conflict) => conflict.column('site_id').doUpdateSet(activation));
  await executePrepared(trx, statement);
}

export async function updateActivation(
  trx: Trx,
  siteId: number,
  change: Updateable<LicenseTables['license_activations']>,
): Promise<void> {
  // Undefined values set no column, and PostgreSQL rejects an UPDATE without columns.
  if (Object.values(change).every((value) => value === undefined)) return;
  const statement = tables(trx).updateTable('license_activations').set(change);
  await executePrepared(trx, statement.where('site_id', '=', siteId));
}

/**
 * Sets when the replaced license key expires, on the sites that use it. Sites with an even older key keep their date.
 * Returns the number of sites with either key.
 */
export async function scheduleOldKeyEnd(
  trx: Trx,
  licenseId: number,
  endsAt: Date,
): Promise<number> {
  await lockActiveActivations(trx, licenseId);
  await updateSharedKeySites(trx, licenseId)
    .set({ key_ends_at: endsAt })
    .where('key_ends_at', 'is', null)
    .execute();
  return countSitesWithOldKey(trx, licenseId);
}

/** Ends the old key now. Returns the number of sites with an old key. */
export async function endOldKeyNow(trx: Trx, licenseId: number, now: Date): Promise<number> {
  await lockActiveActivations(trx, licenseId);
  await updateSharedKeySites(trx, licenseId)
    .set({ key_ends_at: now })
    .where('key_ends_at', '>', now)
    .execute();
  return countSitesWithOldKey(trx, licenseId);
}

/**
 * Stores the current license key for later calls to a site that has just used it. Does nothing if the key of the
 * request is no longer the current one: it may have been replaced since the request arrived.
 */
export async function storeCurrentKey(
  db: Database,
  siteId: number,
  keyHash: string,
): Promise<void> {
  await sql`
    UPDATE license_activations a SET license_key_encrypted = l.key_encrypted, key_ends_at = NULL
    FROM licenses l
    WHERE l.id = a.license_id AND a.site_id = ${siteId} AND a.key_ends_at IS NOT NULL
      AND l.key_hash = ${Buffer.from(keyHash, 'hex')}
      AND a.license_key_encrypted IS NOT NULL`.execute(db);
}

export async function countSitesWithOldKey(db: Database, licenseId: number): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('license_activations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('license_id', '=', licenseId)
    .where('status', '=', 'active')
    .where('key_ends_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return count;
}

function updateSharedKeySites(trx: Trx, licenseId: number) {
  return tables(trx)
    .updateTable('license_activations')
    .where('license_id', '=', licenseId)
    .where('status', '=', 'active')
    .where('license_key_encrypted', 'is not', null);
}

/** Deactivates all sites of a locked license, deletes their pending enrolments, and returns their ids. */
export async function deactivateSites(trx: Trx, licenseId: number, now: Date): Promise<number[]> {
  const siteIds = await lockActiveActivations(trx, licenseId);
  await sql`DELETE FROM enrolments WHERE site_id = ANY(${siteIds}::bigint[])`.execute(trx);
  await tables(trx)
    .updateTable('license_activations')
    .set({ status: 'deactivated', deactivated_at: now })
    .where('license_id', '=', licenseId)
    .where('status', '=', 'active')
    .execute();
  await tables(trx)
    .updateTable('licenses')
    .set({ counted_sites: 0, uncounted_sites: 0 })
    .where('id', '=', licenseId)
    .execute();
  return siteIds;
}

/** A batch of check-ins also locks activations by ascending id; another order could deadlock. */
async function lockActiveActivations(trx: Trx, licenseId: number): Promise<number[]> {
  const rows = await tables(trx)
    .selectFrom('license_activations')
    .select('site_id')
    .where('license_id', '=', licenseId)
    .where('status', '=', 'active')
    .orderBy('site_id')
    .forNoKeyUpdate()
    .execute();
  return rows.map((row) => row.site_id);
}

export function selectActivations(db: Database) {
  return tables(db)
    .selectFrom('sites as s')
    .innerJoin('license_activations as a', 'a.site_id', 's.id')
    .select([
      's.id as site_id',
      's.url as site_url',
      'a.status',
      'a.counted',
      'a.environment',
      'a.cms_version',
      'a.php_version',
      'a.plugin_version',
      'a.token_hash',
      'a.token_encrypted',
      'a.site_key_hash',
      'a.site_key_encrypted',
      'a.capabilities',
      'a.key_ends_at',
      'a.accepts_unsigned_calls',
      'a.proven_at',
      'a.activated_at',
      'a.last_check_at',
    ]);
}
