import { type Insertable, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { SigningKeyTables } from './tables.ts';

export type SigningKeyRow = {
  id: number;
  public_key: string;
  private_key_encrypted: Buffer;
  signed_by_previous: string | null;
  created_at: Date;
};

/** Lists the keys that are not retired, newest first. */
export function listSigningKeys(db: Database): Promise<SigningKeyRow[]> {
  return tables(db)
    .selectFrom('signing_keys')
    .select(['id', 'public_key', 'private_key_encrypted', 'signed_by_previous', 'created_at'])
    .where('retired_at', 'is', null)
    .orderBy('id', 'desc')
    .execute();
}

/** Allows one key change at a time: processes that start together must not create two first keys. */
export async function lockSigningKeys(trx: Trx): Promise<void> {
  await sql`LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE`.execute(trx);
}

export async function insertSigningKey(
  trx: Trx,
  key: Insertable<SigningKeyTables['signing_keys']>,
): Promise<number> {
  const query = tables(trx).insertInto('signing_keys').values(key).returning('id');
  return (await query.executeTakeFirstOrThrow()).id;
}

export async function retireSigningKeys(trx: Trx, ids: number[], now: Date): Promise<void> {
  await tables(trx)
    .updateTable('signing_keys')
    .set({ retired_at: now })
    .where('id', 'in', ids)
    .where('retired_at', 'is', null)
    .execute();
}

/**
 * Counts connected sites that verify signatures and have not received the key since this time. The response to a check-in
 * contains the key only if the license is valid, so sites of other licenses count as well.
 * Not counted: a site that checked in while its license was suspended or expired, and not since it is valid again.
 */
export async function countSitesWithoutKeySince(
  db: Database,
  announcedAt: Date,
  now: Date,
): Promise<number> {
  const { sites } = await tables(db)
    .selectFrom('license_activations as a')
    .innerJoin('licenses as l', 'l.id', 'a.license_id')
    .select(({ fn }) => fn.countAll<number>().as('sites'))
    .where('a.status', '=', 'active')
    // Only sites with a site key store the signing key.
    .where('a.site_key_hash', 'is not', null)
    .where(({ eb, or }) =>
      or([
        eb(sql<Date>`greatest(a.activated_at, a.last_check_at)`, '<', announcedAt),
        eb('l.status', '<>', 'active'),
        eb('l.expires_at', '<=', now),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(sites);
}
