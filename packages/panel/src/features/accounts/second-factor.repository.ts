import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

export type TotpRow = {
  secret_encrypted: Buffer;
  confirmed_at: Date | null;
  last_period: number | null;
};

/** Replaces an unconfirmed secret. Returns false when a confirmed one exists. */
export async function insertTotp(
  trx: Trx,
  userId: number,
  secretEncrypted: Buffer,
  now: Date,
): Promise<boolean> {
  const row = await tables(trx)
    .insertInto('totp_secrets')
    .values({ user_id: userId, secret_encrypted: secretEncrypted, created_at: now })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ secret_encrypted: secretEncrypted, created_at: now })
        .where('totp_secrets.confirmed_at', 'is', null),
    )
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Of two concurrent requests with the same code, the second waits and finds the code used. */
export function lockTotp(trx: Trx, userId: number): Promise<TotpRow | undefined> {
  return tables(trx)
    .selectFrom('totp_secrets')
    .select(['secret_encrypted', 'confirmed_at', 'last_period'])
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateTotp(
  trx: Trx,
  userId: number,
  change: { last_period: number; confirmed_at?: Date },
): Promise<void> {
  await tables(trx).updateTable('totp_secrets').set(change).where('user_id', '=', userId).execute();
}

/** Returns true when a confirmed secret was deleted. */
export async function deleteTotp(trx: Trx, userId: number): Promise<boolean> {
  const rows = await tables(trx)
    .deleteFrom('totp_secrets')
    .where('user_id', '=', userId)
    .returning('confirmed_at')
    .execute();
  return rows.some(({ confirmed_at }) => confirmed_at !== null);
}

export async function replaceBackupCodes(
  trx: Trx,
  userId: number,
  hashes: Buffer[],
): Promise<void> {
  await tables(trx).deleteFrom('backup_codes').where('user_id', '=', userId).execute();
  if (hashes.length === 0) return;
  await tables(trx)
    .insertInto('backup_codes')
    .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
    .execute();
}

/** Of two concurrent requests with the same code, only one deletes the row. */
export async function consumeBackupCode(trx: Trx, userId: number, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tables(trx)
    .deleteFrom('backup_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns the ids of all users with a second factor; a few hundred at most. */
export async function listUsersWithSecondFactor(db: Database): Promise<Set<number>> {
  const rows = await tables(db)
    .selectFrom('totp_secrets')
    .select('user_id')
    .where('confirmed_at', 'is not', null)
    .union(tables(db).selectFrom('passkeys').select('user_id'))
    .execute();
  return new Set(rows.map((row) => row.user_id));
}

export type SecondFactorCounts = { totp: boolean; backup_codes: number; passkeys: number };

export async function countSecondFactors(
  db: Database,
  userId: number,
): Promise<SecondFactorCounts> {
  const { rows } = await sql<SecondFactorCounts>`
    SELECT
      EXISTS (SELECT 1 FROM totp_secrets
              WHERE user_id = ${userId} AND confirmed_at IS NOT NULL) AS totp,
      (SELECT count(*)::int FROM backup_codes WHERE user_id = ${userId}) AS backup_codes,
      (SELECT count(*)::int FROM passkeys WHERE user_id = ${userId}) AS passkeys
  `.execute(db);
  return rows[0] ?? { totp: false, backup_codes: 0, passkeys: 0 };
}
