import type { Inventory } from '@steward/contract';
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Database, Tables, Trx } from '../../platform/database/tables.ts';
import { boundedInventory } from './bounded-inventory.ts';

/** Makes the site or, when the license knows it already, changes it. */
export async function upsertSite(
  trx: Trx,
  site: Insertable<Tables['sites']>,
  change: Updateable<Tables['sites']>,
): Promise<number> {
  const row = await trx
    .insertInto('sites')
    .values(site)
    .onConflict((conflict) => conflict.columns(['license_id', 'canonical_url']).doUpdateSet(change))
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function updateSite(
  trx: Trx,
  id: number,
  change: Updateable<Tables['sites']>,
): Promise<void> {
  // A statement that sets nothing would be an error.
  if (Object.keys(change).length === 0) return;
  await trx.updateTable('sites').set(change).where('id', '=', id).execute();
}

export type Endpoint = { endpoint_url: string | null; endpoint_origin: string | null };

export async function lockEndpoint(trx: Trx, id: number): Promise<Endpoint> {
  const query = trx.selectFrom('sites').select(['endpoint_url', 'endpoint_origin']);
  return query.where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();
}

/** False: the site does not ask for it any more. */
export async function adoptEndpoint(trx: Trx, id: number, endpointUrl: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('sites')
    .set({
      endpoint_url: endpointUrl,
      endpoint_origin: new URL(endpointUrl).origin,
      wanted_endpoint_url: null,
    })
    .where('id', '=', id)
    .where('wanted_endpoint_url', '=', endpointUrl)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type LastReport = { inventory: Inventory | null; inventory_at: Date | null };

export async function readLastReport(db: Database, id: number): Promise<LastReport> {
  const row = await db
    .selectFrom('sites')
    .select(['inventory_at', boundedInventory('inventory').as('inventory')])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? { inventory: null, inventory_at: null };
}

/** In the order of their ids: others lock sites in that order too. */
export async function storeAddresses(
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

/** Sealed; null: there is none. */
export async function findWebLogin(db: Database, siteId: number): Promise<Buffer | null> {
  const query = db.selectFrom('sites').select('web_login_encrypted').where('id', '=', siteId);
  return (await query.executeTakeFirst())?.web_login_encrypted ?? null;
}

/** The site has to prove its address again. False: it has no key of its own, and cannot. */
export async function forgetProof(trx: Trx, id: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('license_activations')
    .set({ proven_at: null, proof_error: null })
    .where('site_id', '=', id)
    .where('site_key_hash', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
