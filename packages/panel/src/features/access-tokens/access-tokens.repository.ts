import type { PanelUser, Role, TokenAction } from '@steward/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { mustSetUpSecondFactor } from '../accounts/index.ts';
import { couldCreateToken } from './active-user.ts';
import { tables } from './database.ts';
import type { AccessTokenTables } from './tables.ts';

export type TokenRow = Omit<
  Selectable<AccessTokenTables['access_tokens']>,
  'token_hash' | 'revoked_at' | 'license_changes'
>;

const COLUMNS = [
  'id',
  'user_id',
  'name',
  'last_four',
  'role',
  'actions',
  'bot_user_id',
  'created_at',
  'expires_at',
  'last_used_at',
  'last_used_ip',
] as const;

export type LiveToken = {
  id: number;
  name: string;
  actions: TokenAction[];
  role: Role;
  last_used_at: Date | null;
  creator_id: number;
  /** The creator, or the bot user of the token. */
  user: PanelUser;
  could_create: boolean;
  must_set_up_second_factor: boolean;
};

/** Finds a token that is neither expired nor revoked. Its creator and its bot user must not be disabled. */
export async function findLiveToken(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<LiveToken | undefined> {
  const { rows } = await sql<LiveToken>`
    SELECT token.id, token.name, token.actions, token.role, token.last_used_at, creator.id AS creator_id,
      jsonb_build_object('id', acting.id, 'name', acting.name, 'email', acting.email, 'role', token.role) AS user,
      ${couldCreateToken()} AS could_create,
      ${mustSetUpSecondFactor('creator')} AS must_set_up_second_factor
    FROM access_tokens token
    JOIN users creator ON creator.id = token.user_id
    JOIN users acting ON acting.id = coalesce(token.bot_user_id, token.user_id)
    WHERE token.token_hash = ${tokenHash} AND token.expires_at > ${now} AND token.revoked_at IS NULL
      AND creator.disabled_at IS NULL AND acting.disabled_at IS NULL`.execute(db);
  return rows[0];
}

/** Writes at most once per `intervalMs`, also if several processes authenticate the token at the same time. */
export async function markUsed(
  db: Database,
  id: number,
  { now, ip, intervalMs }: { now: Date; ip: string; intervalMs: number },
): Promise<void> {
  const before = new Date(now.getTime() - intervalMs);
  await tables(db)
    .updateTable('access_tokens')
    .set({ last_used_at: now, last_used_ip: ip })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', before)]))
    .execute();
}

/**
 * Adds a change at `now` and drops those before `since`. Returns the times, oldest first. The row stays locked until the
 * end of the transaction, so that concurrent changes are counted one after the other.
 */
export async function addLicenseChange(
  trx: Trx,
  id: number,
  { now, since }: { now: Date; since: Date },
): Promise<Date[]> {
  const { license_changes } = await tables(trx)
    .updateTable('access_tokens')
    .set({
      license_changes: sql`ARRAY(SELECT at FROM unnest(license_changes) AS at WHERE at > ${since} ORDER BY at)
        || ${now}::timestamptz`,
    })
    .where('id', '=', id)
    .returning('license_changes')
    .executeTakeFirstOrThrow();
  return license_changes;
}

/** Expired tokens stay in the list until they are revoked. */
export function listTokens(db: Database, userId: number): Promise<TokenRow[]> {
  return tables(db)
    .selectFrom('access_tokens')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute();
}

export function findToken(db: Database, id: number): Promise<TokenRow | undefined> {
  return tables(db)
    .selectFrom('access_tokens')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/** Counts expired tokens too: they stay in the list, which must not grow without a limit. */
export async function countTokens(trx: Trx, userId: number): Promise<number> {
  const { count } = await tables(trx)
    .selectFrom('access_tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function insertToken(
  trx: Trx,
  token: Insertable<AccessTokenTables['access_tokens']>,
): Promise<TokenRow> {
  return tables(trx)
    .insertInto('access_tokens')
    .values(token)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Whether the creator could create this token now. */
export async function couldCreate(trx: Trx, tokenId: number): Promise<boolean> {
  const { rows } = await sql<{ could_create: boolean }>`
    SELECT ${couldCreateToken()} AS could_create
    FROM access_tokens token JOIN users creator ON creator.id = token.user_id
    WHERE token.id = ${tokenId}`.execute(trx);
  return rows[0]?.could_create === true;
}

/** Revokes one token of the user, or all without `id`. Returns the tokens that this call revoked, not a concurrent one. */
export function revokeTokens(
  trx: Trx,
  { userId, id }: { userId: number; id?: number },
  now: Date,
): Promise<TokenRow[]> {
  return tables(trx)
    .updateTable('access_tokens')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? 0))
    .returning(COLUMNS)
    .execute();
}

/** Returns those of the users who are the bot user of an expired token. */
export async function listExpiredBots(db: Database, ids: number[], now: Date): Promise<number[]> {
  const rows = await tables(db)
    .selectFrom('access_tokens')
    .select('bot_user_id')
    .where('bot_user_id', '=', sql<number>`ANY(${ids}::bigint[])`)
    .where('expires_at', '<=', now)
    .execute();
  return rows.flatMap(({ bot_user_id }) => bot_user_id ?? []);
}
