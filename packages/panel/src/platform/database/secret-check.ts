import type { Secrets } from '../secrets.ts';
import type { Database } from './tables.ts';

const SETTING = 'secret_check';
const CHECKED_TEXT = 'steward/secret-check';

/**
 * Throws if the secret does not belong to this database. The first call stores a fingerprint to compare with. With a
 * wrong secret, the panel would find no license, decrypt no key and reject every site, so it must not start.
 */
export async function assertSameSecret(db: Database, secrets: Secrets): Promise<void> {
  const value = secrets.fingerprint(CHECKED_TEXT);
  await db
    .insertInto('panel_settings')
    .values({ name: SETTING, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const stored = await db
    .selectFrom('panel_settings')
    .select('value')
    .where('name', '=', SETTING)
    .executeTakeFirstOrThrow();
  if (stored.value !== value) throw createMismatch();
}

/** Like `assertSameSecret`, but writes nothing, so it also works on the database of an older version. */
export async function assertStoredSecret(db: Database, secrets: Secrets): Promise<void> {
  const stored = await db
    .selectFrom('panel_settings')
    .select('value')
    .where('name', '=', SETTING)
    .executeTakeFirst();
  if (stored && stored.value !== secrets.fingerprint(CHECKED_TEXT)) throw createMismatch();
}

const createMismatch = () =>
  new Error(
    'The secret does not match this database. Set SECRET_KEY to the original value, or restore secret.key in the data directory from a backup.',
  );
