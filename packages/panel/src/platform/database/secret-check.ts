import type { Secrets } from '../secrets.ts';
import type { Database } from './tables.ts';

const SETTING = 'secret_check';

/**
 * A panel with another secret than the one its database was filled with would find no license and
 * could open no key. Better to say so at the start than to refuse every site.
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
      'The secret does not fit this database. Set SECRET_KEY to the one it was set up with, or restore secret.key in the data directory from a backup.',
    );
  }
}
