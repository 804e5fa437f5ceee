import type { Secrets } from '../secrets.ts';
import type { Database } from './tables.ts';

const SETTING = 'secret_check';

/**
 * Throws if the secret does not belong to this database. With a wrong secret, the panel would find no license,
 * decrypt no key and reject every site, so it must not start.
 */
export async function assertSameSecret(db: Database, secrets: Secrets): Promise<void> {
  const value = secrets.fingerprint('steward/secret-check');
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
  if (stored.value !== value) {
    throw new Error(
      'The secret does not match this database. Set SECRET_KEY to the original value, or restore secret.key in the data directory from a backup.',
    );
  }
}
