import type { SiteStatus } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/tables.ts';

/** A boolean SQL expression on `sites s`. */
type Predicate = RawBuilder<SqlBool>;

export type StatusCount = {
  status: SiteStatus;
  sites: number;
  with_updates: number;
  plugins: number;
  themes: number;
  core: number;
};

export async function countByStatus(
  db: Database,
  visible: Predicate,
  status: RawBuilder<SiteStatus>,
): Promise<StatusCount[]> {
  const { rows } = await sql<StatusCount>`
    SELECT ${status} AS status, count(*) AS sites,
      count(*) FILTER (WHERE s.pending_total > 0) AS with_updates,
      sum(s.pending_plugins) AS plugins, sum(s.pending_themes) AS themes, sum(s.pending_core) AS core
    FROM sites s WHERE ${visible} GROUP BY 1`.execute(db);
  return rows;
}

/** Finds the plugins with an update on the most sites. The name comes from the newest of these sites. */
export async function findMostOutdatedPlugins(
  db: Database,
  predicate: Predicate,
  limit: number,
): Promise<{ plugin: string; name: string; sites: number }[]> {
  const { rows } = await sql<{ plugin: string; name: string; sites: number }>`
    WITH outdated AS (
      SELECT plugin, count(*) AS sites, max(id) AS newest_site_id
      FROM (SELECT s.id, unnest(s.outdated_plugins) AS plugin FROM sites s WHERE ${predicate}) AS site_plugins
      GROUP BY plugin ORDER BY sites DESC, plugin LIMIT ${limit}
    )
    SELECT o.plugin, o.sites, coalesce(jsonb_path_query_first(s.inventory,
      '$.plugins[*] ? (@.plugin == $plugin).name', jsonb_build_object('plugin', o.plugin)) #>> '{}',
      o.plugin) AS name
    FROM outdated o JOIN sites s ON s.id = o.newest_site_id
    ORDER BY o.sites DESC, o.plugin`.execute(db);
  return rows;
}
