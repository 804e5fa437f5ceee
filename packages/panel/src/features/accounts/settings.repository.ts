import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { hasSetting, readSetting, writeSetting } from '../../platform/database/settings.ts';

const REQUIRE_SECOND_FACTOR = 'require_second_factor';

export async function isSecondFactorRequired(db: Database): Promise<boolean> {
  return (await readSetting(db, REQUIRE_SECOND_FACTOR)) === 'true';
}

export function storeSecondFactorRequired(trx: Trx, isRequired: boolean): Promise<void> {
  return writeSetting(trx, REQUIRE_SECOND_FACTOR, String(isRequired));
}

/** Builds the SQL predicate for users without a second factor while the panel requires one. `users`: an alias. */
export function mustSetUpSecondFactor(users: string): RawBuilder<SqlBool> {
  const id = sql.ref(`${users}.id`);
  return sql<SqlBool>`(${hasSetting(REQUIRE_SECOND_FACTOR, 'true')}
    AND NOT EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = ${id} AND t.confirmed_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM passkeys k WHERE k.user_id = ${id}))`;
}
