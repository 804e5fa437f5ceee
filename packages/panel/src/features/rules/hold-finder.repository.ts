import type { SoftwareType } from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';

/** One item in one version and with one offered version, and the sites that have exactly this. */
export type InstalledGroup = {
  type: SoftwareType;
  slug: string;
  name: string;
  version: string;
  new_version: string | null;
  /** When the offered version first appeared. */
  first_seen_at: Date | null;
  site_ids: number[];
};

/**
 * Reads the software of the sites, grouped: ten thousand sites have few different versions, so this is small. The
 * Steward plugin is omitted, because no rule concerns it. The ids are joined: for ANY, the planner would read the index
 * by version, which takes three times as long for all sites of a large fleet.
 */
export async function readInstalledGroups(
  db: Database,
  siteIds: number[],
  { onlyPendingOf = new Set() }: { onlyPendingOf?: ReadonlySet<number> } = {},
): Promise<InstalledGroup[]> {
  const [pending, whole] = [
    siteIds.filter((id) => onlyPendingOf.has(id)),
    siteIds.filter((id) => !onlyPendingOf.has(id)),
  ];
  const { rows } = await sql<InstalledGroup>`
    SELECT s.type, s.slug, s.name, g.version, g.new_version, v.first_seen_at, g.site_ids
    FROM (SELECT software_id, version, new_version, array_agg(site_id) AS site_ids
      FROM (${readItemsOf(whole)} UNION ALL ${readItemsOf(pending)} WHERE new_version IS NOT NULL) AS items
      GROUP BY software_id, version, new_version) AS g
    JOIN software s ON s.id = g.software_id AND NOT s.is_management_plugin
    LEFT JOIN software_versions v ON v.type = s.type AND v.slug = s.slug AND v.version = g.new_version
    ORDER BY s.type, s.slug, g.version, g.new_version`.execute(db);
  return rows;
}

const readItemsOf = (siteIds: number[]) => sql`
  SELECT software_id, version, new_version, site_id
  FROM unnest(${siteIds}::bigint[]) AS wanted (id) JOIN site_software ON site_id = wanted.id`;

/** Reads which of these tags the sites have. */
export async function readSiteTags(
  db: Database,
  siteIds: number[],
  tagIds: number[],
): Promise<{ site_id: number; tag_id: number }[]> {
  if (tagIds.length === 0) return [];
  const { rows } = await sql<{ site_id: number; tag_id: number }>`
    SELECT site_id, tag_id FROM site_tags
    WHERE tag_id = ANY(${tagIds}::bigint[]) AND site_id = ANY(${siteIds}::bigint[])`.execute(db);
  return rows;
}

export type ItemVersion = { type: SoftwareType; slug: string; version: string };

/** Reads when the versions of these items first appeared, the earliest first: a version can have two spellings. */
export async function readFirstSeen(
  db: Database,
  items: { type: string; slug: string }[],
): Promise<(ItemVersion & { first_seen_at: Date })[]> {
  if (items.length === 0) return [];
  const { rows } = await sql<ItemVersion & { first_seen_at: Date }>`
    SELECT DISTINCT v.type, v.slug, v.version, v.first_seen_at
    FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb) AS r (type text, slug text)
    JOIN software_versions v ON v.type = r.type AND v.slug = r.slug
    ORDER BY v.first_seen_at`.execute(db);
  return rows;
}

/** Reads when the known backups of the sites started. A site without a known backup is not in the map. */
export async function readBackupTimes(db: Database, siteIds: number[]): Promise<Map<number, Date>> {
  const { rows } = await sql<{ id: number; backed_up_at: Date }>`
    SELECT id, backed_up_at FROM sites
    WHERE id = ANY(${siteIds}::bigint[]) AND backed_up_at IS NOT NULL`.execute(db);
  return new Map(rows.map(({ id, backed_up_at }) => [id, backed_up_at]));
}

/** Whether the fleet has a rule or an open quarantine. If it has none, the callers need no other query. */
export async function hasRulesOrQuarantine(db: Database): Promise<boolean> {
  const { rows } = await sql<{ has_any: boolean }>`
    SELECT EXISTS (SELECT FROM update_rules WHERE aspect <> 'restore')
      OR EXISTS (SELECT FROM quarantined_versions WHERE lifted_at IS NULL) AS has_any`.execute(db);
  return rows[0]?.has_any ?? false;
}
