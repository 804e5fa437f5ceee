import { sql, type Updateable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';
import { type CurrentUser, isClientVisibleTo, scopeOf } from '../site-access/index.ts';
import { tables } from './database.ts';
import type { ClientTables } from './tables.ts';

export type ClientRow = {
  id: number;
  name: string;
  contact_name: string | null;
  contact_email: string | null;
  time_zone: string;
  /** Changes with the image; null without a logo. */
  logo: string | null;
  sites: number;
  created_at: Date;
  archived_at: Date | null;
};

/** Lists the clients that the user may see, sorted by name. With `id`: only this one. */
export async function listClients(
  db: Database,
  user: CurrentUser,
  { id }: { id?: number } = {},
): Promise<ClientRow[]> {
  const { rows } = await sql<ClientRow>`
    SELECT c.id, c.name, c.contact_name, c.contact_email, c.time_zone, left(encode(l.hash, 'hex'), 16) AS logo,
      coalesce(n.sites, 0) AS sites, c.created_at, c.archived_at
    FROM clients c JOIN tags t ON t.client_id = c.id
    LEFT JOIN tag_counts n ON n.tag_id = t.id AND n.scope = ${scopeOf(user)}
    LEFT JOIN client_logos l ON l.client_id = c.id
    WHERE ${id === undefined ? sql`true` : sql`c.id = ${id}`} AND ${isClientVisibleTo(user, 'c')}
    ORDER BY ${inNaturalOrder(sql`c.name`)}`.execute(db);
  return rows;
}

/** A new client waits for the others, so that the limit holds. */
export async function lockAndCountClients(trx: Trx): Promise<number> {
  await sql`LOCK TABLE clients IN SHARE ROW EXCLUSIVE MODE`.execute(trx);
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM clients`.execute(trx);
  return rows[0]?.count ?? 0;
}

export type ClientFields = Pick<
  ClientTables['clients'],
  'name' | 'contact_name' | 'contact_email' | 'time_zone'
>;

export async function insertClient(
  trx: Trx,
  client: ClientFields & { created_at: Date },
): Promise<number> {
  const query = tables(trx).insertInto('clients').values(client).returning('id');
  return (await query.executeTakeFirstOrThrow()).id;
}

export type LockedClient = ClientFields & { id: number; archived_at: Date | null };

const LOCKED_COLUMNS = [
  'id',
  'name',
  'contact_name',
  'contact_email',
  'time_zone',
  'archived_at',
] as const;

export async function lockClient(trx: Trx, id: number): Promise<LockedClient | undefined> {
  const query = tables(trx).selectFrom('clients').select(LOCKED_COLUMNS).where('id', '=', id);
  return query.forNoKeyUpdate().executeTakeFirst();
}

/**
 * Keeps a client from being archived until the transaction ends. A transaction that also locks sites locks the client
 * first: the order of all statements, to prevent deadlocks.
 */
export async function shareVisibleClient(
  trx: Trx,
  user: CurrentUser,
  id: number,
): Promise<{ id: number; name: string; archived_at: Date | null } | undefined> {
  return tables(trx)
    .selectFrom('clients as c')
    .select(['c.id', 'c.name', 'c.archived_at'])
    .where('c.id', '=', id)
    .where(isClientVisibleTo(user, 'c'))
    .forShare('c')
    .executeTakeFirst();
}

export async function updateClient(
  trx: Trx,
  id: number,
  change: Updateable<ClientTables['clients']>,
): Promise<void> {
  await tables(trx).updateTable('clients').set(change).where('id', '=', id).execute();
}
