import { SAVED_VERSIONS_SITES_MAX, type SoftwareItemQuery } from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';

export type CountedVersion = {
  version: string;
  installed_sites: number;
  offered_sites: number;
};

/** Counts the sites that have or offer each version, from the stored counts. */
export async function listCountedVersions(
  db: Database,
  scope: number,
  { type, slug }: SoftwareItemQuery,
): Promise<CountedVersion[]> {
  const { rows } = await sql<CountedVersion>`
    SELECT v.version, coalesce(sum(c.sites) FILTER (WHERE NOT v.is_offer), 0)::integer AS installed_sites,
      coalesce(sum(c.sites) FILTER (WHERE v.is_offer), 0)::integer AS offered_sites
    FROM software s JOIN software_counts c ON c.software_id = s.id AND c.scope = ${scope}
    CROSS JOIN LATERAL (VALUES (c.version, false), (c.new_version, true)) AS v (version, is_offer)
    WHERE s.type = ${type} AND s.slug = ${slug} AND v.version IS NOT NULL
    GROUP BY v.version`.execute(db);
  return rows;
}

export type SavedVersionCount = { version: string; saved_sites: number };

/** Counts the sites that can restore each version, on the first sites of the scope that have the plugin or theme. */
export async function listSavedVersions(
  db: Database,
  scope: number,
  { type, slug }: SoftwareItemQuery,
): Promise<SavedVersionCount[]> {
  if (type === 'core') return [];
  const { rows } = await sql<SavedVersionCount>`
    SELECT saved.version, count(DISTINCT having_it.site_id)::integer AS saved_sites
    FROM (SELECT i.site_id FROM software s JOIN site_software i ON i.software_id = s.id
      JOIN listed_sites listed ON listed.scope = ${scope} AND listed.id = i.site_id
      WHERE s.type = ${type} AND s.slug = ${slug} LIMIT ${SAVED_VERSIONS_SITES_MAX}) AS having_it
    JOIN sites ON sites.id = having_it.site_id
    CROSS JOIN LATERAL saved_versions(sites.inventory, ${type}, ${slug}) AS saved
    GROUP BY saved.version`.execute(db);
  return rows;
}
