import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/tables.ts';
import { type CurrentUser, isVisibleTo } from './visible-sites.ts';

/** The target of an access grant: one site, or a license with all its sites. */
export type GrantTarget = { siteId: number } | { licenseId: number };

const toColumns = (target: GrantTarget) =>
  'siteId' in target
    ? { site_id: target.siteId, license_id: null }
    : { site_id: null, license_id: target.licenseId };

export async function findVisibleSiteIds(
  db: Database,
  user: CurrentUser,
  siteIds: number[],
): Promise<number[]> {
  const rows = await db
    .selectFrom('sites as s')
    .select('s.id')
    .where(sql<boolean>`s.id = ANY(${siteIds}::bigint[])`)
    .where(isVisibleTo(user, 's'))
    .execute();
  return rows.map((row) => row.id);
}

export async function targetExists(db: Database, target: GrantTarget): Promise<boolean> {
  const query =
    'siteId' in target
      ? db.selectFrom('sites').select('id').where('id', '=', target.siteId)
      : db.selectFrom('licenses').select('id').where('id', '=', target.licenseId);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Returns false when the grant already exists. */
export async function insertGrant(
  trx: Trx,
  userId: number,
  target: GrantTarget,
  now: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('access_grants')
    .values({ user_id: userId, ...toColumns(target), created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** Returns false when the grant does not exist. */
export async function deleteGrant(trx: Trx, userId: number, target: GrantTarget): Promise<boolean> {
  const grants = trx.deleteFrom('access_grants').where('user_id', '=', userId);
  const { numDeletedRows } = await ('siteId' in target
    ? grants.where('site_id', '=', target.siteId)
    : grants.where('license_id', '=', target.licenseId)
  ).executeTakeFirst();
  return numDeletedRows > 0n;
}

export function listSiteGrants(db: Database, userId: number) {
  return db
    .selectFrom('access_grants as g')
    .innerJoin('sites as s', 's.id', 'g.site_id')
    .select(['s.id as site_id', 's.url as site_url', 'g.created_at'])
    .where('g.user_id', '=', userId)
    .orderBy('s.id')
    .execute();
}

export function listLicenseGrants(db: Database, userId: number) {
  return db
    .selectFrom('access_grants as g')
    .innerJoin('licenses as l', 'l.id', 'g.license_id')
    .select(['l.id as license_id', 'l.key_last_six', 'l.name', 'g.created_at'])
    .where('g.user_id', '=', userId)
    .orderBy('l.id')
    .execute();
}
