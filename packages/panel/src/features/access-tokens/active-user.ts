import type { Role } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

export type ActiveUser = { id: number; role: Role };

/** Finds a user for whom the panel acts without a request. Null: disabled, or the bot user of an invalid access token. */
export async function findActiveUser(
  db: Database,
  id: number | null,
  now: Date,
): Promise<ActiveUser | null> {
  const query = tables(db).selectFrom('users').select(['id', 'role']).where('id', '=', id);
  return (await query.where(isActiveUser(now)).executeTakeFirst()) ?? null;
}

/**
 * Builds the SQL predicate for users who may act now: not disabled, and a bot user only while its access token is valid.
 * Work without a request needs it, such as tasks, schedules and rollouts. `users`: the alias of that table in the query.
 */
export function isActiveUser(now: Date, users = 'users'): RawBuilder<SqlBool> {
  const [id, botOf] = [sql.ref(`${users}.id`), sql.ref(`${users}.bot_of`)];
  return sql<SqlBool>`(${sql.ref(`${users}.disabled_at`)} IS NULL AND (${botOf} IS NULL OR EXISTS (
    SELECT FROM access_tokens token JOIN users creator ON creator.id = token.user_id
    WHERE token.bot_user_id = ${id} AND token.expires_at > ${now} AND ${couldCreateToken()})))`;
}

/**
 * Builds the SQL predicate for tokens that their creator could still create: the role of the token is not higher, and the
 * creator can see all its sites. Without a bot user, the sites depend on the creator alone, so a token of an owner must
 * have the role owner. Needs the aliases `token` and `creator`.
 */
export function couldCreateToken(): RawBuilder<SqlBool> {
  return sql<SqlBool>`CASE creator.role
    WHEN 'owner' THEN token.role = 'owner' OR token.bot_user_id IS NOT NULL
    ELSE (token.role = 'viewer' OR token.role = creator.role)
      AND (token.bot_user_id IS NULL OR NOT EXISTS (
        SELECT granted_sites(token.bot_user_id) EXCEPT SELECT granted_sites(creator.id))) END`;
}
