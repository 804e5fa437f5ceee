import type { Inventory } from '@steward/contract';
import { type Insertable, sql, type Updateable, type UpdateObject } from 'kysely';
import { boundedInventory } from '../../database/bounded-inventory.ts';
import type { Database, Tables, Trx } from '../../database/tables.ts';

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
  change: UpdateObject<Tables, 'sites'>,
): Promise<void> {
  // A statement that sets nothing would be an error.
  if (Object.keys(change).length === 0) return;
  await trx.updateTable('sites').set(change).where('id', '=', id).execute();
}

/** What a report of an endpoint at another host changes: it is used if that host is approved. */
export function foreignEndpoint({ href, origin }: URL) {
  const isApproved = sql`endpoint_origin IS NOT DISTINCT FROM ${origin}`;
  return {
    endpoint_url: sql<string | null>`CASE WHEN ${isApproved} THEN ${href} END`,
    wanted_endpoint_url: sql<string | null>`CASE WHEN NOT (${isApproved}) THEN ${href} END`,
  };
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

export async function forgetProof(trx: Trx, id: number): Promise<void> {
  const activation = trx.updateTable('license_activations').where('site_id', '=', id);
  await activation.set({ proven_at: null, proof_error: null }).execute();
}
