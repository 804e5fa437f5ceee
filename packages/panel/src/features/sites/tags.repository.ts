import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/tables.ts';
import { ARCHIVED_SITES, grantedSiteIds } from './search/index.ts';

/** Locks the visible sites by ascending id, so that overlapping changes cannot deadlock. */
export async function lockSites(
  trx: Trx,
  visible: RawBuilder<SqlBool>,
  siteIds: number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT s.id FROM sites s WHERE s.id = ANY(${siteIds}::bigint[]) AND ${visible}
    ORDER BY s.id FOR NO KEY UPDATE`.execute(trx);
  return rows.map(({ id }) => id);
}

export async function readTags(db: Database, siteIds: number[]): Promise<Map<number, string[]>> {
  const rows = await db
    .selectFrom('site_tags as st')
    .innerJoin('tags as t', 't.id', 'st.tag_id')
    .select(['st.site_id', 't.name'])
    .where(sql<boolean>`st.site_id = ANY(${siteIds}::bigint[])`)
    .orderBy(sql`lower(t.name)`)
    .execute();
  const tags = new Map<number, string[]>(siteIds.map((id) => [id, []]));
  for (const { site_id, name } of rows) tags.get(site_id)?.push(name);
  return tags;
}

/** Inserts tags in sorted order, so that overlapping changes cannot deadlock. */
export async function insertMissingTags(trx: Trx, names: string[]): Promise<void> {
  await sql`INSERT INTO tags (name)
    SELECT name FROM unnest(${names}::text[]) AS name ORDER BY lower(name)
    ON CONFLICT DO NOTHING`.execute(trx);
}

export async function addTags(trx: Trx, siteIds: number[], names: string[]): Promise<void> {
  await sql`INSERT INTO site_tags (site_id, tag_id)
    SELECT site_id, t.id FROM unnest(${siteIds}::bigint[]) AS site_id, tags t
    WHERE lower(t.name) IN (SELECT lower(name) FROM unnest(${names}::text[]) AS name)
    ON CONFLICT DO NOTHING`.execute(trx);
}

export async function removeTags(trx: Trx, siteIds: number[], names: string[]): Promise<void> {
  await sql`DELETE FROM site_tags st USING tags t
    WHERE t.id = st.tag_id AND st.site_id = ANY(${siteIds}::bigint[])
      AND lower(t.name) IN (SELECT lower(name) FROM unnest(${names}::text[]) AS name)`.execute(trx);
}

/** Counts the sites of each tag, without archived sites. From the table `sites`, it reads only the archived ones. */
export async function countAllTags(db: Database) {
  const { rows } = await sql<{ name: string; sites: number }>`
    SELECT t.name, c.sites
    FROM (SELECT tag_id, count(*) AS sites FROM site_tags
      WHERE site_id NOT IN (${ARCHIVED_SITES}) GROUP BY tag_id) c
    JOIN tags t ON t.id = c.tag_id ORDER BY lower(t.name)`.execute(db);
  return rows;
}

/** Joins the ids of the granted sites, which is cheaper than checking access for each site. */
export async function countTagsOfGrantedSites(db: Database, userId: number) {
  const { rows } = await sql<{ name: string; sites: number }>`
    SELECT t.name, c.sites
    FROM (SELECT st.tag_id, count(*) AS sites
      FROM (${grantedSiteIds(userId, 'UNION')}) AS g (site_id) JOIN site_tags st USING (site_id)
      WHERE site_id NOT IN (${ARCHIVED_SITES}) GROUP BY st.tag_id) c
    JOIN tags t ON t.id = c.tag_id ORDER BY lower(t.name)`.execute(db);
  return rows;
}
