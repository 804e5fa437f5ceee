import type { Insertable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { AccountTables, LinkPurpose } from './tables.ts';

type LinkKey = { purposes: readonly LinkPurpose[]; tokenHash: Buffer; now: Date };

export async function insertLink(
  trx: Trx,
  link: Insertable<AccountTables['one_time_links']>,
): Promise<number> {
  const row = await tables(trx)
    .insertInto('one_time_links')
    .values(link)
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export function findLink(
  db: Database,
  { purposes, tokenHash, now }: LinkKey,
): Promise<{ user_id: number | null; purpose: LinkPurpose } | undefined> {
  return tables(db)
    .selectFrom('one_time_links')
    .select(['user_id', 'purpose'])
    .where('token_hash', '=', tokenHash)
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Deletes the link. Of two concurrent requests, the first gets true; the second waits and gets false. */
export async function consumeLink(
  trx: Trx,
  { purposes, tokenHash, now }: LinkKey,
): Promise<boolean> {
  const { numDeletedRows } = await tables(trx)
    .deleteFrom('one_time_links')
    .where('token_hash', '=', tokenHash)
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteSetupLinks(trx: Trx): Promise<void> {
  await tables(trx).deleteFrom('one_time_links').where('purpose', '=', 'setup').execute();
}

/** Without this, the links that a user requested and never used would stay. */
export async function deleteExpiredLinks(trx: Trx, userId: number, now: Date): Promise<void> {
  await tables(trx)
    .deleteFrom('one_time_links')
    .where('user_id', '=', userId)
    .where('expires_at', '<=', now)
    .execute();
}

export async function deleteUserLinks(trx: Trx, userId: number): Promise<void> {
  await tables(trx).deleteFrom('one_time_links').where('user_id', '=', userId).execute();
}
