import type { PanelUser } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

export type CurrentUser = Pick<PanelUser, 'id' | 'role'>;

/**
 * Builds the SQL predicate for the sites that the user may see. `sites` is the alias of the table in the query. Every
 * query that returns sites to a user needs it.
 * With arrays instead of a join, PostgreSQL finds the few sites of a user through indexes and does not scan all sites.
 */
export function isVisibleTo(user: CurrentUser, sites = 'sites'): RawBuilder<SqlBool> {
  if (user.role === 'owner') return sql<SqlBool>`true`;
  const selectGranted = (column: 'site_id' | 'license_id') =>
    sql`ARRAY(SELECT ${sql.ref(column)} FROM access_grants
        WHERE user_id = ${user.id} AND ${sql.ref(column)} IS NOT NULL)`;
  return sql<SqlBool>`(${sql.ref(`${sites}.id`)} = ANY(${selectGranted('site_id')})
    OR ${sql.ref(`${sites}.license_id`)} = ANY(${selectGranted('license_id')}))`;
}
