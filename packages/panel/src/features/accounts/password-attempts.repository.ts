import { sql } from 'kysely';
import type { Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

/** `subject`: the key of an `AttemptCounter`, such as `code:7` for the codes of user 7. */
export type AttemptCount = { subject: string; attempts: number; window_ends_at: Date };

/**
 * Counts one attempt and restarts an expired window. Locks the row of the subject. Callers that count several subjects
 * must use the same order, or they can deadlock.
 */
export function countAttempt(
  trx: Trx,
  subject: string,
  now: Date,
  windowEndsAt: Date,
): Promise<AttemptCount> {
  const isExpired = sql<boolean>`password_attempts.window_ends_at <= ${now}`;
  return tables(trx)
    .insertInto('password_attempts')
    .values({ subject, attempts: 1, window_ends_at: windowEndsAt })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet({
        attempts: sql`CASE WHEN ${isExpired} THEN 1 ELSE password_attempts.attempts + 1 END`,
        window_ends_at: sql`CASE WHEN ${isExpired} THEN excluded.window_ends_at
                                 ELSE password_attempts.window_ends_at END`,
      }),
    )
    .returning(['subject', 'attempts', 'window_ends_at'])
    .executeTakeFirstOrThrow();
}

export async function deleteAttempts(trx: Trx, subject: string): Promise<void> {
  await tables(trx).deleteFrom('password_attempts').where('subject', '=', subject).execute();
}

export async function deleteAttemptsByPrefix(trx: Trx, prefix: string): Promise<void> {
  await tables(trx)
    .deleteFrom('password_attempts')
    .where(sql<boolean>`starts_with(subject, ${prefix})`)
    .execute();
}

export async function decrementAttempts(trx: Trx, subject: string): Promise<void> {
  await tables(trx)
    .updateTable('password_attempts')
    .set({ attempts: sql`greatest(attempts - 1, 0)` })
    .where('subject', '=', subject)
    .execute();
}

/** Skips rows that another transaction has locked: waiting for them could deadlock. */
export async function deleteExpiredAttempts(trx: Trx, now: Date): Promise<void> {
  await tables(trx)
    .deleteFrom('password_attempts')
    .where('subject', 'in', (eb) =>
      eb
        .selectFrom('password_attempts')
        .select('subject')
        .where('window_ends_at', '<=', now)
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}
