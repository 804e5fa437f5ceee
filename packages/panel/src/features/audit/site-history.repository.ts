import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

/** The license that the site has now. */
export async function findLicenseOfSite(db: Database, siteId: number): Promise<number | undefined> {
  const row = await tables(db)
    .selectFrom('sites')
    .select('license_id')
    .where('id', '=', siteId)
    .executeTakeFirst();
  return row?.license_id;
}

/** Lists the records of a site, newest first. `actor_name` is the current name of the user. */
export function listSiteRecords(
  db: Database,
  siteId: number,
  options: {
    before: number | undefined;
    limit: number;
    hidden: { entityTypes: string[]; codes: string[] };
  },
) {
  return tables(db)
    .selectFrom('audit_log as r')
    .leftJoin('users as u', (join) => join.on(sql`u.id::text`, '=', sql.ref('r.actor')))
    .select(['r.id', 'r.at', 'r.actor', 'u.name as actor_name', 'r.action'])
    .select(['r.entity_type', 'r.context'])
    .where('r.site_id', '=', siteId)
    .where(sql<boolean>`r.entity_type <> ALL(${options.hidden.entityTypes}::text[])`)
    .where(sql<boolean>`coalesce(r.context->>'code', '') <> ALL(${options.hidden.codes}::text[])`)
    .$if(options.before !== undefined, (query) => query.where('r.id', '<', options.before ?? 0))
    .orderBy('r.id', 'desc')
    .limit(options.limit)
    .execute();
}

export async function findClientOfSite(db: Database, siteId: number): Promise<number | null> {
  const query = tables(db).selectFrom('client_memberships').select('client_id');
  const row = await query
    .where('site_id', '=', siteId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return row?.client_id ?? null;
}
