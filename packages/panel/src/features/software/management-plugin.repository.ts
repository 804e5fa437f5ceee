import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/tables.ts';
import type { CurrentUser } from '../site-access/index.ts';
import { ALL_SITES, scopeOf } from './scope.ts';

/** The versions of the Steward plugin below this one. The counts contain the rank of each version. */
const selectVersionsBelow = (version: string, scope: number) =>
  sql`FROM software_counts c JOIN software w ON w.id = c.software_id
    WHERE c.scope = ${scope} AND w.is_management_plugin
      AND c.version_rank < version_rank(${version}) COLLATE "C"`;

/** Counts the sites that the user may see whose Steward plugin is older than this version. */
export async function countSitesWithOlderStewardPlugin(
  db: Database,
  user: CurrentUser,
  version: string,
): Promise<number> {
  const { rows } = await sql<{ sites: number }>`
    SELECT coalesce(sum(c.sites), 0) AS sites ${selectVersionsBelow(version, scopeOf(user))}`.execute(
    db,
  );
  return Number(rows[0]?.sites ?? 0);
}

/** An SQL condition on `site_software h`: an installed Steward plugin that is older than this version. */
export const isOlderStewardPlugin = (version: string): RawBuilder<unknown> =>
  sql`(h.software_id, h.version) IN (
    SELECT c.software_id, c.version ${selectVersionsBelow(version, ALL_SITES)})`;
