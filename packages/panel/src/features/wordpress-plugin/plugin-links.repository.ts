import { type Insertable, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { isActiveSite } from '../licenses/index.ts';
import { tables } from './database.ts';
import type { WordPressPluginTables } from './tables.ts';

/** More than a site uses at once, so that a site with a wrong clock or two updates at once gets its package. */
const LINKS_PER_SITE = 10;

/** Deletes the oldest links of the site, so that a hostile site cannot store any number of them. */
export async function insertPluginLink(
  db: Database,
  link: Insertable<WordPressPluginTables['plugin_links']>,
): Promise<void> {
  await sql`
    DELETE FROM plugin_links WHERE token_hash IN (
      SELECT token_hash FROM plugin_links WHERE site_id = ${link.site_id}
      ORDER BY expires_at DESC OFFSET ${LINKS_PER_SITE - 1})`.execute(db);
  await tables(db).insertInto('plugin_links').values(link).execute();
}

/** A used link stays for this time, so that the panel can check the site that downloaded the plugin. */
export const PROBATION_MINUTES = 12;

/** Deletes links that have expired, and used ones after the probation. */
export async function deleteExpiredPluginLinks(db: Database, now: Date): Promise<void> {
  await sql`
    DELETE FROM plugin_links
    WHERE expires_at <= ${now}
      AND (used_at IS NULL OR used_at <= ${now}::timestamptz - make_interval(mins => ${PROBATION_MINUTES}))`.execute(
    db,
  );
}

/** Seconds that a site needs to install what it has downloaded. */
const FIRST_CHECK_SECONDS = 30;

export type SiteOnProbation = { site_id: number; version: string };

/**
 * Claims sites whose last check is older than `pauseSeconds`, the longest waiting ones first: a site can use links without
 * end. Only sites whose update guard accepts a verdict.
 */
export async function claimSitesOnProbation(
  db: Database,
  now: Date,
  { limit, pauseSeconds }: { limit: number; pauseSeconds: number },
): Promise<SiteOnProbation[]> {
  const { rows } = await sql<SiteOnProbation>`
    UPDATE plugin_links SET checked_at = ${now}
    WHERE token_hash IN (
      SELECT p.token_hash FROM plugin_links p
      WHERE p.used_at > ${now}::timestamptz - make_interval(mins => ${PROBATION_MINUTES})
        AND p.used_at <= ${now}::timestamptz - make_interval(secs => ${FIRST_CHECK_SECONDS})
        AND (p.checked_at IS NULL OR p.checked_at <= ${now}::timestamptz - make_interval(secs => ${pauseSeconds}))
        AND ${isActiveSite('p.site_id', 'update_guard')}
      ORDER BY coalesce(p.checked_at, p.used_at) LIMIT ${limit} FOR UPDATE OF p SKIP LOCKED)
    RETURNING site_id, version`.execute(db);
  return rows;
}

/**
 * Marks a link as used, and deletes the earlier used links of the site. Of two concurrent requests one gets true; the
 * other waits and gets false. The link of a site that was disconnected meanwhile does not work.
 */
export async function consumePluginLink(
  db: Database,
  { tokenHash, version, now }: { tokenHash: Buffer; version: string; now: Date },
): Promise<boolean> {
  const { rows } = await sql<{ site_id: number }>`
    UPDATE plugin_links p SET used_at = ${now}
    WHERE p.token_hash = ${tokenHash} AND p.version = ${version} AND p.used_at IS NULL AND p.expires_at > ${now}
      AND ${isActiveSite('p.site_id')}
    RETURNING p.site_id`.execute(db);
  const [used] = rows;
  if (!used) return false;
  await sql`
    DELETE FROM plugin_links
    WHERE site_id = ${used.site_id} AND used_at IS NOT NULL AND token_hash <> ${tokenHash}`.execute(
    db,
  );
  return true;
}
