import { type Insertable, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { type CurrentUser, isClientVisibleTo } from '../site-access/index.ts';
import { tables } from './database.ts';
import type { ClientTables, LogoType } from './tables.ts';

export async function findLogo(
  db: Database,
  user: CurrentUser,
  clientId: number,
): Promise<{ media_type: LogoType; bytes: Buffer } | undefined> {
  return tables(db)
    .selectFrom('client_logos as l')
    .innerJoin('clients as c', 'c.id', 'l.client_id')
    .select(['l.media_type', 'l.bytes'])
    .where('l.client_id', '=', clientId)
    .where(isClientVisibleTo(user, 'c'))
    .executeTakeFirst();
}

export async function storeLogo(
  trx: Trx,
  { client_id, ...logo }: Insertable<ClientTables['client_logos']>,
): Promise<void> {
  await tables(trx)
    .insertInto('client_logos')
    .values({ client_id, ...logo })
    .onConflict((conflict) => conflict.column('client_id').doUpdateSet(logo))
    .execute();
}

/** Returns false if the client had no logo. */
export async function deleteLogo(trx: Trx, clientId: number): Promise<boolean> {
  const { rows } = await sql`
    DELETE FROM client_logos WHERE client_id = ${clientId} RETURNING client_id`.execute(trx);
  return rows.length > 0;
}
