import type { EmailSettings } from '@steward/contract';
import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

export async function findEmailSettings(
  db: Database,
  userId: number,
): Promise<EmailSettings | undefined> {
  return tables(db)
    .selectFrom('notification_emails')
    .select(['mode', 'event_types'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

export async function storeEmailSettings(
  trx: Trx,
  userId: number,
  { mode, event_types }: EmailSettings,
  now: Date,
): Promise<void> {
  const change = { mode, event_types, updated_at: now };
  await tables(trx)
    .insertInto('notification_emails')
    .values({ user_id: userId, ...change })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(change))
    .execute();
}

export async function deleteGatheredOfUser(trx: Trx, userId: number): Promise<void> {
  await tables(trx)
    .deleteFrom('notification_gathered_events')
    .where('user_id', '=', userId)
    .execute();
}

/** Lists the users who want e-mail. */
export function listEmailUsers(db: Database) {
  return tables(db)
    .selectFrom('notification_emails as e')
    .innerJoin('users as u', 'u.id', 'e.user_id')
    .select(['u.id', 'u.email', 'u.role', 'e.mode', 'e.event_types'])
    .where('e.mode', '!=', 'off')
    .where('u.disabled_at', 'is', null)
    .where(sql<boolean>`cardinality(e.event_types) > 0`)
    .orderBy('u.id')
    .execute();
}

export type EmailUser = Awaited<ReturnType<typeof listEmailUsers>>[number];

/** Finds a user as a recipient. `mode` is null if the user has no e-mail settings. Undefined: the user is disabled. */
export function findEmailUser(db: Database, userId: number) {
  return tables(db)
    .selectFrom('users as u')
    .leftJoin('notification_emails as e', 'e.user_id', 'u.id')
    .select(['u.id', 'u.email', 'u.role', 'e.mode'])
    .where('u.id', '=', userId)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst();
}
