import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { ALL_SITES, type CurrentUser, scopeOf } from '../site-access/index.ts';

/**
 * FROM and WHERE for the versions of the Steward plugin below this version. The counts store the rank of each version.
 */
const fromVersionsBelow = (version: string, scope: number) =>
  sql`FROM software_counts c JOIN software w ON w.id = c.software_id
    WHERE c.scope = ${scope} AND w.is_management_plugin
      AND c.version_rank < version_rank(${version}) COLLATE "C"`;

/** Counts the sites whose Steward plugin is older than this version, among the sites that the user may see. */
export async function countSitesWithOlderStewardPlugin(
  db: Database,
  user: CurrentUser,
  version: string,
): Promise<number> {
  const { rows } = await sql<{ sites: number }>`
    SELECT coalesce(sum(c.sites), 0) AS sites ${fromVersionsBelow(version, scopeOf(user))}`.execute(
    db,
  );
  return Number(rows[0]?.sites ?? 0);
}

/** Builds the SQL condition that a row of `site_software h` is a Steward plugin older than this version. */
export const isOlderStewardPlugin = (version: string): RawBuilder<unknown> =>
  sql`(h.software_id, h.version) IN (
    SELECT c.software_id, c.version ${fromVersionsBelow(version, ALL_SITES)})`;
