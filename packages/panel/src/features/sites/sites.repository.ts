import {
  findBackupTime,
  type Inventory,
  type StoredBackup,
  type StoredPreflight,
} from '@steward/contract';
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { executePrepared } from '../../platform/database/prepared-statements.ts';
import { inventoryIfWithinLimit } from './bounded-inventory.ts';
import { tables } from './database.ts';
import type { EndpointRecord } from './decide-endpoint.ts';
import type { SiteTables } from './tables.ts';

/** Inserts the site, or applies `change` if the license already has a site with this address. */
export async function upsertSite(
  trx: Trx,
  site: Insertable<SiteTables['sites']>,
  change: Updateable<SiteTables['sites']>,
): Promise<{ id: number; isNew: boolean }> {
  const statement = tables(trx)
    .insertInto('sites')
    .values(site)
    .onConflict((conflict) => conflict.columns(['license_id', 'canonical_url']).doUpdateSet(change))
    // PostgreSQL sets `xmax` of a row that it updates.
    .returning(['id', sql<boolean>`xmax = 0`.as('isNew')]);
  const [row] = await executePrepared(trx, statement);
  if (!row) throw new Error('The statement returned no site.');
  return row;
}

export async function updateSite(
  trx: Trx,
  id: number,
  change: Updateable<SiteTables['sites']>,
): Promise<void> {
  // PostgreSQL rejects an UPDATE that sets no column.
  if (Object.keys(change).length === 0) return;
  await tables(trx).updateTable('sites').set(change).where('id', '=', id).execute();
}

/**
 * Stores the time, the preflight and the backups of a report whose inventory is already stored, and returns false if its inventory is
 * new. The row keeps its inventory, so PostgreSQL writes neither it nor what its triggers derive from it. The preflight is
 * not compared: the free disk space changes with each report.
 */
export async function storeRepeatedReport(
  trx: Trx,
  id: number,
  report: {
    inventoryHash: Buffer;
    preflight: StoredPreflight | undefined;
    backups: StoredBackup[] | undefined;
  },
  now: Date,
): Promise<boolean> {
  const { inventoryHash, preflight, backups } = report;
  const newPreflight = preflight
    ? sql`, preflight = ${JSON.stringify(preflight)}::jsonb, preflight_at = ${now}`
    : sql``;
  const newBackups = backups
    ? sql`, backups = ${JSON.stringify(backups)}::jsonb, backed_up_at = ${findBackupTime(backups)}`
    : sql``;
  const statement = sql`UPDATE sites SET inventory_at = ${now} ${newPreflight} ${newBackups}
    WHERE id = ${id} AND inventory_hash = ${inventoryHash} RETURNING id`;
  const rows = await executePrepared(trx, statement.compile(trx));
  return rows.length > 0;
}

/** The settings of a site that its reports seldom change. */
export type StoredSettings = {
  endpoint_url: string | null;
  approved_endpoint_url: string | null;
  requested_endpoint_url: string | null;
  time_zone: string | null;
};

export async function lockStoredSettings(trx: Trx, id: number): Promise<StoredSettings> {
  const query = tables(trx)
    .selectFrom('sites')
    .select(['endpoint_url', 'approved_endpoint_url', 'requested_endpoint_url', 'time_zone'])
    .where('id', '=', id)
    .forNoKeyUpdate();
  const [settings] = await executePrepared(trx, query);
  if (!settings) throw new Error(`Site ${id} does not exist.`);
  return settings;
}

export async function findEndpointRecord(
  db: Database,
  siteId: number,
): Promise<(EndpointRecord & { license_id: number }) | undefined> {
  return tables(db)
    .selectFrom('sites as s')
    .innerJoin('license_activations as a', 'a.site_id', 's.id')
    .select([
      's.license_id',
      's.url',
      's.endpoint_url',
      's.approved_endpoint_url',
      'a.proven_at',
      'a.proven_endpoint_url',
    ])
    .select(({ eb }) => eb('a.site_key_hash', 'is not', null).$castTo<boolean>().as('has_site_key'))
    .where('s.id', '=', siteId)
    .executeTakeFirst();
}

/** Returns false if the site no longer requests this endpoint. */
export async function approveEndpoint(trx: Trx, id: number, endpointUrl: string): Promise<boolean> {
  const { numUpdatedRows } = await tables(trx)
    .updateTable('sites')
    .set({
      endpoint_url: endpointUrl,
      approved_endpoint_url: endpointUrl,
      requested_endpoint_url: null,
    })
    .where('id', '=', id)
    .where('requested_endpoint_url', '=', endpointUrl)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type LastReport = { inventory: Inventory | null; inventory_at: Date | null };

export async function readLastReport(db: Database, id: number): Promise<LastReport> {
  const row = await tables(db)
    .selectFrom('sites')
    .select(['inventory_at', inventoryIfWithinLimit('inventory').as('inventory')])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? { inventory: null, inventory_at: null };
}

/** Locks the sites by ascending id, in the same order as every other statement, to prevent deadlocks. */
export async function storeIpAddresses(
  trx: Trx,
  sites: { siteId: number; address: string }[],
): Promise<void> {
  if (sites.length === 0) return;
  await sql`
    WITH found AS (
      SELECT s.id, f.address
      FROM unnest(${sites.map(({ siteId }) => siteId)}::bigint[],
        ${sites.map(({ address }) => address)}::text[]) AS f (id, address)
      JOIN sites s ON s.id = f.id
      ORDER BY s.id FOR NO KEY UPDATE OF s
    )
    UPDATE sites s SET address = found.address FROM found WHERE s.id = found.id`.execute(trx);
}

/**
 * Locks sites for a transaction that writes them in several statements. After its first write, a transaction must not wait
 * for other sites: docs/decisions/0037-lists-for-managers.md.
 */
export async function lockSitesById(
  trx: Trx,
  siteIds: number[],
): Promise<{ id: number; is_slow: boolean }[]> {
  const { rows } = await sql<{ id: number; is_slow: boolean }>`
    SELECT id, is_slow FROM sites WHERE id = ANY(${siteIds}::bigint[])
    ORDER BY id FOR NO KEY UPDATE`.execute(trx);
  return rows;
}

/** Writes only the sites whose value changes. */
export async function storeSlowness(
  trx: Trx,
  sites: { siteId: number; isSlow: boolean }[],
): Promise<void> {
  if (sites.length === 0) return;
  await sql`
    WITH changed AS (
      SELECT s.id, f.is_slow
      FROM unnest(${sites.map(({ siteId }) => siteId)}::bigint[],
        ${sites.map(({ isSlow }) => isSlow)}::boolean[]) AS f (id, is_slow)
      JOIN sites s ON s.id = f.id AND s.is_slow <> f.is_slow
      ORDER BY s.id FOR NO KEY UPDATE OF s
    )
    UPDATE sites s SET is_slow = changed.is_slow FROM changed WHERE s.id = changed.id`.execute(trx);
}

export async function findEncryptedWebLogin(db: Database, siteId: number): Promise<Buffer | null> {
  const query = tables(db)
    .selectFrom('sites')
    .select('web_login_encrypted')
    .where('id', '=', siteId);
  return (await query.executeTakeFirst())?.web_login_encrypted ?? null;
}

export type SiteTexts = { display_name: string | null; note: string | null };

export async function lockSiteTexts(trx: Trx, id: number): Promise<SiteTexts> {
  const query = tables(trx).selectFrom('sites').select(['display_name', 'note']);
  return query.where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();
}
