import { sql } from 'kysely';
import type { Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

/**
 * Deletes the version history of a site. `removeReport` removes its report; the software was not removed from the site, so
 * the history gets no entries about that.
 */
export async function forgetVersions(
  trx: Trx,
  siteId: number,
  removeReport: () => Promise<void>,
): Promise<void> {
  const keepHistory = (value: 'on' | 'off') =>
    sql`SELECT set_config('steward.keep_version_history', ${value}, true)`.execute(trx);
  await keepHistory('on');
  await removeReport();
  await keepHistory('off');
  await tables(trx).deleteFrom('version_history').where('site_id', '=', siteId).execute();
}
