import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';
import { tables } from './database.ts';
import { type CurrentUser, isVisibleTo } from './visible-sites.ts';

export async function findVisibleSiteIds(
  db: Database,
  user: CurrentUser,
  siteIds: number[],
): Promise<number[]> {
  const rows = await tables(db)
    .selectFrom('sites as s')
    .select('s.id')
    .where(sql<boolean>`s.id = ANY(${siteIds}::bigint[])`)
    .where(isVisibleTo(user, 's'))
    .execute();
  return rows.map((row) => row.id);
}

/**
 * The targets of grants by id: single sites, licenses with all their sites, and tags with all sites that have them. A client
 * is granted by its tag.
 */
export type TargetIds = { siteIds: number[]; licenseIds: number[]; tagIds: number[] };

/** A grant as it is stored: one of the three ids is set. */
export type GrantRow = {
  site_id: number | null;
  license_id: number | null;
  tag_id: number | null;
};

export async function listExistingSites(db: Database, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM sites WHERE id = ANY(${ids}::bigint[])`.execute(db);
  return rows.map(({ id }) => id);
}

export async function listExistingLicenses(db: Database, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM licenses WHERE id = ANY(${ids}::bigint[])`.execute(db);
  return rows.map(({ id }) => id);
}

/** The tag of a grant. With `client_id`, `name` is the name of this client. */
export type GrantedTag = { id: number; name: string; client_id: number | null };

/** Tag names ignore case. */
export async function listTagsByName(db: Database, names: string[]): Promise<GrantedTag[]> {
  const { rows } = await sql<GrantedTag>`
    SELECT id, name, client_id FROM tags
    WHERE client_id IS NULL AND lower(name) IN (SELECT lower(name) FROM unnest(${names}::text[]) AS name)`.execute(
    db,
  );
  return rows;
}

/** Lists the tags of these clients, without those of archived clients. */
export async function listTagsOfClients(db: Database, clientIds: number[]): Promise<GrantedTag[]> {
  const { rows } = await sql<GrantedTag>`
    SELECT t.id, c.name, t.client_id FROM tags t JOIN clients c ON c.id = t.client_id
    WHERE c.id = ANY(${clientIds}::bigint[]) AND c.archived_at IS NULL`.execute(db);
  return rows;
}

/**
 * Inserts all grants with one statement, because a trigger sorts and locks the affected licenses per statement.
 * Returns the new grants.
 */
export async function insertGrants(
  trx: Trx,
  userId: number,
  { siteIds, licenseIds, tagIds }: TargetIds,
  now: Date,
): Promise<GrantRow[]> {
  const { rows } = await sql<GrantRow>`
    INSERT INTO access_grants (user_id, site_id, license_id, tag_id, created_at)
    SELECT ${userId}::bigint, target.*, ${now}::timestamptz FROM (
      SELECT id, NULL::bigint, NULL::bigint FROM unnest(${siteIds}::bigint[]) AS id
      UNION ALL SELECT NULL, id, NULL FROM unnest(${licenseIds}::bigint[]) AS id
      UNION ALL SELECT NULL, NULL, id FROM unnest(${tagIds}::bigint[]) AS id) AS target
    ON CONFLICT DO NOTHING
    RETURNING site_id, license_id, tag_id`.execute(trx);
  return rows;
}

/** Returns the deleted grants. */
export async function deleteGrants(
  trx: Trx,
  userId: number,
  { siteIds, licenseIds, tagIds }: TargetIds,
): Promise<GrantRow[]> {
  const { rows } = await sql<GrantRow>`
    DELETE FROM access_grants WHERE user_id = ${userId}
      AND (site_id = ANY(${siteIds}::bigint[]) OR license_id = ANY(${licenseIds}::bigint[])
        OR tag_id = ANY(${tagIds}::bigint[]))
    RETURNING site_id, license_id, tag_id`.execute(trx);
  return rows;
}

export async function deleteAllGrants(trx: Trx, userIds: number[]): Promise<void> {
  await tables(trx).deleteFrom('access_grants').where('user_id', 'in', userIds).execute();
}

export function listSiteGrants(db: Database, userId: number) {
  return tables(db)
    .selectFrom('access_grants as g')
    .innerJoin('sites as s', 's.id', 'g.site_id')
    .select(['s.id as site_id', 's.url as site_url', 'g.created_at'])
    .select(sql<string>`site_label(s.display_name, s.url)`.as('site_name'))
    .where('g.user_id', '=', userId)
    .orderBy('s.id')
    .execute();
}

export function listLicenseGrants(db: Database, userId: number) {
  return tables(db)
    .selectFrom('access_grants as g')
    .innerJoin('licenses as l', 'l.id', 'g.license_id')
    .select(['l.id as license_id', 'l.key_last_six', 'l.name', 'g.created_at'])
    .where('g.user_id', '=', userId)
    .orderBy('l.id')
    .execute();
}

const SITES_OF_TAG = sql<number>`(SELECT count(*) FROM site_tags st WHERE st.tag_id = t.id
  AND st.site_id NOT IN (SELECT id FROM sites WHERE archived_at IS NOT NULL))`;

export function listTagGrants(db: Database, userId: number) {
  return tables(db)
    .selectFrom('access_grants as g')
    .innerJoin('tags as t', 't.id', 'g.tag_id')
    .select(['t.name as tag', 'g.created_at', SITES_OF_TAG.as('sites')])
    .where('g.user_id', '=', userId)
    .where('t.client_id', 'is', null)
    .orderBy(inNaturalOrder(sql`t.name`))
    .execute();
}

export function listClientGrants(db: Database, userId: number) {
  return tables(db)
    .selectFrom('access_grants as g')
    .innerJoin('tags as t', 't.id', 'g.tag_id')
    .innerJoin('clients as c', 'c.id', 't.client_id')
    .select(['c.id as client_id', 'c.name', 'g.created_at', SITES_OF_TAG.as('sites')])
    .where('g.user_id', '=', userId)
    .orderBy(inNaturalOrder(sql`c.name`))
    .execute();
}

/** `name`: of the tag or client that gives the access. */
export type UserOfGrant = { name: string; user_id: number };

/** Lists the users, and bot users of access tokens, to whom these tags give access to sites. */
export async function listUsersOfTags(db: Database, names: string[]): Promise<UserOfGrant[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<UserOfGrant>`
    SELECT t.name, g.user_id FROM tags t JOIN access_grants g ON g.tag_id = t.id
    WHERE t.client_id IS NULL AND lower(t.name) IN (SELECT lower(name) FROM unnest(${names}::text[]) AS name)`.execute(
    db,
  );
  return rows;
}

/** The same for clients. */
export async function listUsersOfClients(
  db: Database,
  clientIds: number[],
): Promise<UserOfGrant[]> {
  if (clientIds.length === 0) return [];
  const { rows } = await sql<UserOfGrant>`
    SELECT c.name, g.user_id FROM tags t JOIN access_grants g ON g.tag_id = t.id
    JOIN clients c ON c.id = t.client_id WHERE c.id = ANY(${clientIds}::bigint[])`.execute(db);
  return rows;
}

/** Returns the users who had access by this client. */
export async function deleteGrantsOfClient(trx: Trx, clientId: number): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    DELETE FROM access_grants g USING tags t
    WHERE t.id = g.tag_id AND t.client_id = ${clientId} RETURNING g.user_id`.execute(trx);
  return rows.map(({ user_id }) => user_id);
}
