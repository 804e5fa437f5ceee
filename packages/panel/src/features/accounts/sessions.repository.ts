import type { Role } from '@steward/contract';
import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import { mustSetUpSecondFactor } from './settings.repository.ts';

/** A valid session: not expired, and its user is not disabled. */
export type SessionRecord = {
  session_id: number;
  confirmed_at: Date | null;
  created_at: Date;
  /** True: the panel requires a second factor for all users, and this user has none. */
  must_set_up_second_factor: boolean;
  id: number;
  name: string;
  email: string;
  role: Role;
};

/** Accepts no session of a bot user, which acts only through its access token. */
export function findLiveSession(
  db: Database,
  token: string,
  now: Date,
): Promise<SessionRecord | undefined> {
  return tables(db)
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id as session_id', 's.confirmed_at', 's.created_at'])
    .select(['u.id', 'u.name', 'u.email', 'u.role'])
    .select(mustSetUpSecondFactor('u').$castTo<boolean>().as('must_set_up_second_factor'))
    .where('s.token', '=', token)
    .where('s.expires_at', '>', now)
    .where('u.disabled_at', 'is', null)
    .where('u.bot_of', 'is', null)
    .executeTakeFirst();
}

/** Also finds sessions that are no longer valid. */
export function findSessionByToken(
  trx: Trx,
  token: string,
): Promise<{ id: number; user_id: number } | undefined> {
  return tables(trx)
    .selectFrom('sessions')
    .select(['id', 'user_id'])
    .where('token', '=', token)
    .executeTakeFirst();
}

export function listLiveSessions(db: Database, userId: number, now: Date) {
  return tables(db)
    .selectFrom('sessions')
    .select(['id', 'ip_address', 'user_agent', 'created_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('id')
    .execute();
}

/**
 * The sign-in counts as a confirmation. It is stored as a moment before the session, so that it differs from a confirmation in
 * the session.
 */
export async function markConfirmedBySignIn(trx: Trx, sessionId: number): Promise<void> {
  await tables(trx)
    .updateTable('sessions')
    .set({ confirmed_at: sql`created_at - interval '1 millisecond'` })
    .where('id', '=', sessionId)
    .execute();
}

export async function markConfirmed(trx: Trx, sessionId: number, now: Date): Promise<void> {
  await tables(trx)
    .updateTable('sessions')
    .set({ confirmed_at: now })
    .where('id', '=', sessionId)
    .execute();
}

/** Returns false when the user has no such session. */
export async function deleteSession(trx: Trx, userId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tables(trx)
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns the number of deleted sessions. */
export async function deleteUserSessions(
  trx: Trx,
  userId: number,
  { except }: { except?: number } = {},
): Promise<number> {
  let query = tables(trx).deleteFrom('sessions').where('user_id', '=', userId);
  if (except !== undefined) query = query.where('id', '!=', except);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

export async function deleteSessionByToken(db: Database, token: string): Promise<void> {
  await tables(db).deleteFrom('sessions').where('token', '=', token).execute();
}

/** Skips rows that another transaction has locked: waiting for them could deadlock. */
export async function deleteExpiredSessions(trx: Trx, now: Date): Promise<void> {
  await tables(trx)
    .deleteFrom('sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('sessions')
        .select('id')
        .where('expires_at', '<=', now)
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}
