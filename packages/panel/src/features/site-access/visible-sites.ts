import type { PanelUser } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

export type Viewer = Pick<PanelUser, 'id' | 'role'>;

/**
 * A predicate for the sites that the user may see; `sites` is the alias of the table in the query. Every query that
 * returns sites to a user needs `where(isVisibleTo(user, 's'))`.
 * Two arrays instead of a join: PostgreSQL builds each array once and then finds the few sites of a user through
 * indexes, instead of scanning all sites.
 */
export function isVisibleTo(user: Viewer, sites = 'sites'): RawBuilder<SqlBool> {
  if (user.role === 'owner') return sql<SqlBool>`true`;
  const granted = (column: 'site_id' | 'license_id') =>
    sql`ARRAY(SELECT ${sql.ref(column)} FROM access_grants
        WHERE user_id = ${user.id} AND ${sql.ref(column)} IS NOT NULL)`;
  return sql<SqlBool>`(${sql.ref(`${sites}.id`)} = ANY(${granted('site_id')})
    OR ${sql.ref(`${sites}.license_id`)} = ANY(${granted('license_id')}))`;
}
