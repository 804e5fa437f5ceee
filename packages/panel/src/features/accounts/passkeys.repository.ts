import type { Insertable, Selectable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { AccountTables } from './tables.ts';

export type PasskeyRow = Selectable<AccountTables['passkeys']>;

const COLUMNS = [
  'id',
  'user_id',
  'name',
  'credential_id',
  'public_key',
  'counter',
  'transports',
  'created_at',
  'last_used_at',
] as const;

export function listPasskeys(db: Database, userId: number): Promise<PasskeyRow[]> {
  return tables(db)
    .selectFrom('passkeys')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}

/** Undefined when this passkey is already registered. */
export function insertPasskey(
  trx: Trx,
  passkey: Insertable<AccountTables['passkeys']>,
): Promise<PasskeyRow | undefined> {
  return tables(trx)
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
}

export function lockPasskey(trx: Trx, credentialId: string): Promise<PasskeyRow | undefined> {
  return tables(trx)
    .selectFrom('passkeys')
    .select(COLUMNS)
    .where('credential_id', '=', credentialId)
    .forUpdate()
    .executeTakeFirst();
}

export async function recordPasskeyUse(
  trx: Trx,
  id: number,
  use: { counter: number; now: Date },
): Promise<void> {
  await tables(trx)
    .updateTable('passkeys')
    .set({ counter: use.counter, last_used_at: use.now })
    .where('id', '=', id)
    .execute();
}

/** Undefined when the user has no such passkey. */
export function renamePasskey(
  trx: Trx,
  userId: number,
  id: number,
  name: string,
): Promise<PasskeyRow | undefined> {
  return tables(trx)
    .updateTable('passkeys')
    .set({ name })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst();
}

export function deletePasskey(
  trx: Trx,
  userId: number,
  id: number,
): Promise<{ name: string } | undefined> {
  return tables(trx)
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst();
}

/** Returns the number of deleted passkeys. */
export async function deleteUserPasskeys(trx: Trx, userId: number): Promise<number> {
  const { numDeletedRows } = await tables(trx)
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
