import type { Inventory } from '@steward/contract';
import { type Insertable, sql, type Updateable } from 'kysely';
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
  change: Updateable<Tables['sites']>,
): Promise<void> {
  await trx.updateTable('sites').set(change).where('id', '=', id).execute();
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
