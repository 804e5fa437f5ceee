import { type Insertable, sql } from 'kysely';
import type { Database, Tables } from '../../platform/database/tables.ts';

/** More than a site uses at once, so that a site with a wrong clock or two updates at once gets its package. */
const LINKS_PER_SITE = 10;

/** Deletes the oldest links of the site, so that a hostile site cannot store any number of them. */
export async function insertPluginLink(
  db: Database,
  link: Insertable<Tables['plugin_links']>,
): Promise<void> {
  await sql`
    DELETE FROM plugin_links WHERE token_hash IN (
      SELECT token_hash FROM plugin_links WHERE site_id = ${link.site_id}
      ORDER BY expires_at DESC OFFSET ${LINKS_PER_SITE - 1})`.execute(db);
  await db.insertInto('plugin_links').values(link).execute();
}

/** Deletes links that have expired, used or not. */
export async function deleteExpiredPluginLinks(db: Database, now: Date): Promise<void> {
  await db.deleteFrom('plugin_links').where('expires_at', '<=', now).execute();
}

/**
 * Marks a link as used. Of two concurrent requests one gets true; the other waits and gets false. The link of a site
 * that was disconnected meanwhile does not work.
 */
export async function consumePluginLink(
  db: Database,
  { tokenHash, version, now }: { tokenHash: Buffer; version: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('plugin_links')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('version', '=', version)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('license_activations as a')
          .select('a.site_id')
          .whereRef('a.site_id', '=', 'plugin_links.site_id')
          .where('a.status', '=', 'active'),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
