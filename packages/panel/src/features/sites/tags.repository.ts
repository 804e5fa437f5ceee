import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';
import { tables } from './database.ts';

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
  const rows = await tables(db)
    .selectFrom('site_tags as st')
    .innerJoin('tags as t', 't.id', 'st.tag_id')
    .select(['st.site_id', 't.name'])
    .where(sql<boolean>`st.site_id = ANY(${siteIds}::bigint[])`)
    .where('t.client_id', 'is', null)
    .orderBy(inNaturalOrder(sql`t.name`))
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

/** Returns each tag with its number of sites in the scope, from the stored counts. Archived sites do not count. */
export async function countTags(db: Database, scope: number) {
  const { rows } = await sql<{ name: string; sites: number }>`
    SELECT t.name, c.sites FROM tag_counts c JOIN tags t ON t.id = c.tag_id
    WHERE c.scope = ${scope} AND c.sites > 0 AND t.client_id IS NULL ORDER BY ${inNaturalOrder(sql`t.name`)}`.execute(
    db,
  );
  return rows;
}
