import type { PanelUser } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

export type Viewer = Pick<PanelUser, 'id' | 'role'>;

/**
 * A condition on `sites`, under whatever name a query has them: those that the user may see. For
 * every query that gives sites to somebody, `where(isVisibleTo(user, 's'))`.
 * Two arrays rather than a join: the database makes each once and then goes by its indexes to the few
 * sites that most people have, instead of looking at everybody's.
 */
export function isVisibleTo(user: Viewer, sites = 'sites'): RawBuilder<SqlBool> {
  if (user.role === 'owner') return sql<SqlBool>`true`;
  const granted = (column: 'site_id' | 'license_id') =>
    sql`ARRAY(SELECT ${sql.ref(column)} FROM access_grants
        WHERE user_id = ${user.id} AND ${sql.ref(column)} IS NOT NULL)`;
  return sql<SqlBool>`(${sql.ref(`${sites}.id`)} = ANY(${granted('site_id')})
    OR ${sql.ref(`${sites}.license_id`)} = ANY(${granted('license_id')}))`;
}
