import { randomBytes } from 'node:crypto';
import type { Role } from '@steward/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import pg from 'pg';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { AccountTables } from './tables.ts';

/** A person. Lists of users leave out the bot users of access tokens. */
export type UserRow = Omit<Selectable<AccountTables['users']>, 'bot_of'>;

/** PostgreSQL's error code. The only unique column that changes is `email`. */
const UNIQUE_VIOLATION = '23505';

/** better-auth's provider id for passwords. */
const PASSWORD_PROVIDER = 'credential';

const COLUMNS = [
  'id',
  'name',
  'email',
  'role',
  'disabled_at',
  'last_sign_in_at',
  'created_at',
  'updated_at',
] as const;

const selectPeople = (db: Database) =>
  tables(db).selectFrom('users').select(COLUMNS).where('bot_of', 'is', null);

export function listUsers(db: Database): Promise<UserRow[]> {
  return selectPeople(db).orderBy('id').execute();
}

export async function hasUsers(db: Database): Promise<boolean> {
  return (
    (await tables(db).selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
  );
}

export function findUser(
  db: Database,
  by: { id: number } | { email: string },
): Promise<UserRow | undefined> {
  const query = selectPeople(db);
  return (
    'id' in by ? query.where('id', '=', by.id) : query.where('email', '=', by.email)
  ).executeTakeFirst();
}

export function lockUser(trx: Trx, id: number): Promise<UserRow | undefined> {
  return selectPeople(trx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** Returns the creator of the token for a bot user, and the user itself for a person. */
export async function findPersonId(db: Database, userId: number): Promise<number> {
  const query = tables(db).selectFrom('users').select('bot_of').where('id', '=', userId);
  return (await query.executeTakeFirst())?.bot_of ?? userId;
}

/** Adds the user as which an access token acts. The address cannot exist: `.invalid` is reserved (RFC 2606). */
export async function insertBotUser(
  trx: Trx,
  bot: { name: string; role: Role; creatorId: number },
  now: Date,
): Promise<number> {
  const { id } = await tables(trx)
    .insertInto('users')
    .values({
      name: bot.name,
      email: `token-${randomBytes(8).toString('hex')}@bot.invalid`,
      role: bot.role,
      bot_of: bot.creatorId,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The rows stay, because runs and rollouts refer to them. */
export async function disableBotUsers(trx: Trx, ids: number[], now: Date): Promise<void> {
  await tables(trx)
    .updateTable('users')
    .set({ disabled_at: now, updated_at: now })
    .where('id', '=', sql<number>`ANY(${ids}::bigint[])`)
    .where('bot_of', 'is not', null)
    .execute();
}

/** Returns whether the user is enabled. The lock keeps other requests from disabling the user until the commit. */
export async function lockIfEnabled(trx: Trx, id: number): Promise<boolean> {
  const user = await tables(trx)
    .selectFrom('users')
    .select('disabled_at')
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst();
  return user?.disabled_at === null;
}

/** Keeps other transactions from adding a user until this one ends. */
export async function blockNewUsers(trx: Trx): Promise<void> {
  await sql`LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE`.execute(trx);
}

/**
 * Locks all enabled owners, in the order of their ids. PostgreSQL checks each row again after it has the lock, so the
 * result excludes a user who lost the role in the meantime.
 */
export async function lockOwners(trx: Trx): Promise<number[]> {
  const owners = await tables(trx)
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'owner')
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return owners.map((owner) => owner.id);
}

/** Undefined when another user has this address. */
export function insertUser(
  trx: Trx,
  user: Insertable<AccountTables['users']>,
): Promise<UserRow | undefined> {
  return tables(trx)
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
}

export function updateUser(
  trx: Trx,
  id: number,
  change: Updateable<AccountTables['users']>,
): Promise<UserRow> {
  return tables(trx)
    .updateTable('users')
    .set(change)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Undefined when another user has this address. The transaction cannot continue then. */
export async function updateNameAndEmail(
  trx: Trx,
  id: number,
  change: Required<Pick<Updateable<AccountTables['users']>, 'name' | 'email' | 'updated_at'>>,
): Promise<UserRow | undefined> {
  try {
    return await updateUser(trx, id, change);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
}

export async function findPasswordHash(
  db: Database,
  by: { userId: number } | { email: string },
): Promise<string | null> {
  const query = tables(db)
    .selectFrom('user_credentials as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .select('c.password')
    .where('c.provider_id', '=', PASSWORD_PROVIDER);
  const row = await ('userId' in by
    ? query.where('u.id', '=', by.userId)
    : query.where('u.email', '=', by.email)
  ).executeTakeFirst();
  return row?.password ?? null;
}

export async function listUsersWithPassword(db: Database): Promise<Set<number>> {
  const rows = await tables(db)
    .selectFrom('user_credentials')
    .select('user_id')
    .where('provider_id', '=', PASSWORD_PROVIDER)
    .where('password', 'is not', null)
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

export async function storePasswordHash(
  trx: Trx,
  userId: number,
  hash: string,
  now: Date,
): Promise<void> {
  await tables(trx)
    .insertInto('user_credentials')
    .values({
      user_id: userId,
      provider_id: PASSWORD_PROVIDER,
      account_id: String(userId),
      password: hash,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'provider_id', 'account_id'])
        .doUpdateSet({ password: hash, updated_at: now }),
    )
    .execute();
}
