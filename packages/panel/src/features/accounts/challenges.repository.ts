import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

/** Short-lived challenges, stored in better-auth's table `verifications`. */

export async function insertChallenge(
  trx: Trx,
  challenge: { identifier: string; value: unknown; now: Date; expiresAt: Date },
): Promise<void> {
  const { identifier, value, now, expiresAt } = challenge;
  await tables(trx)
    .insertInto('verifications')
    .values({
      identifier,
      value: JSON.stringify(value),
      expires_at: expiresAt,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

export async function findChallenge<Value>(
  db: Database,
  identifier: string,
  now: Date,
): Promise<Value | null> {
  const row = await tables(db)
    .selectFrom('verifications')
    .select('value')
    .where('identifier', '=', identifier)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ? (JSON.parse(row.value) as Value) : null;
}

/** Deletes the challenge and returns its value. Of two concurrent requests, only one gets the value. */
export async function consumeChallenge<Value>(
  trx: Trx,
  identifier: string,
  now: Date,
): Promise<Value | null> {
  const row = await tables(trx)
    .deleteFrom('verifications')
    .where('identifier', '=', identifier)
    .where('expires_at', '>', now)
    .returning('value')
    .executeTakeFirst();
  return row ? (JSON.parse(row.value) as Value) : null;
}

/** Skips rows that another transaction has locked: waiting for them could deadlock. */
export async function deleteExpiredChallenges(trx: Trx, now: Date): Promise<void> {
  await tables(trx)
    .deleteFrom('verifications')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('verifications')
        .select('id')
        .where('expires_at', '<=', now)
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}
