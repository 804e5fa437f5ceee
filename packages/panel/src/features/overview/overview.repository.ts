import type { SiteStatus } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';

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
    FROM sites s WHERE s.archived_at IS NULL AND ${visible} GROUP BY 1`.execute(db);
  return rows;
}

export type PhpVersionCount = {
  /** Major and minor, such as 8.3. Null: the site reports something else. */
  version: string | null;
  sites: number;
  /** Updatable sites without the capability `update.items`. */
  without_item_updates: number;
};

/** Counts PHP versions and old Steward plugins with one statement, because both read all activations. */
export async function countByPhpVersion(
  db: Database,
  visible: Predicate,
  updatable: Predicate,
): Promise<PhpVersionCount[]> {
  const { rows } = await sql<PhpVersionCount>`
    SELECT substring(a.php_version FROM '^[0-9]{1,2}[.][0-9]{1,2}') AS version, count(*) AS sites,
      count(*) FILTER (WHERE NOT a.capabilities @> '{update.items}' AND ${updatable}) AS without_item_updates
    FROM license_activations a JOIN sites s ON s.id = a.site_id
    WHERE s.archived_at IS NULL AND ${visible} GROUP BY 1`.execute(db);
  return rows;
}
