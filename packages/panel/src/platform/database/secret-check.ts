import type { Secrets } from '../secrets.ts';
import type { Database } from './tables.ts';

const SETTING = 'secret_check';

/**
 * With the wrong secret, the panel would find no license and decrypt no key. It refuses to start instead
 * of rejecting every site.
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
