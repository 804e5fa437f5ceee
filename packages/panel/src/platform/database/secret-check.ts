import type { Secrets } from '../secrets.ts';
import type { Database } from './handles.ts';
import { readSetting, writeFirstSetting } from './settings.ts';

const SETTING = 'secret_check';
const CHECKED_TEXT = 'steward/secret-check';

/**
 * Throws if the secret does not belong to this database. The first call stores a fingerprint to compare with. With a
 * wrong secret, the panel would find no license, decrypt no key and reject every site, so it must not start.
 */
export async function assertSameSecret(db: Database, secrets: Secrets): Promise<void> {
  await writeFirstSetting(db, SETTING, secrets.fingerprint(CHECKED_TEXT));
  await assertStoredSecret(db, secrets);
}

/** Like `assertSameSecret`, but writes nothing, so it also works on the database of an older version. */
export async function assertStoredSecret(db: Database, secrets: Secrets): Promise<void> {
  const stored = await readSetting(db, SETTING);
  if (stored === undefined || stored === secrets.fingerprint(CHECKED_TEXT)) return;
  throw new Error(
    'The secret does not match this database. Set SECRET_KEY to the original value, or restore secret.key in the data directory from a backup.',
  );
}
