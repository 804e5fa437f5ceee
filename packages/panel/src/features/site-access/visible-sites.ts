import type { PanelUser } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

export type CurrentUser = Pick<PanelUser, 'id' | 'role'>;

/** The operator at the command line of the panel sees all sites, as an owner does. No row in `users` has this id. */
export const OPERATOR = { id: 0, role: 'owner' } as const;

/** Builds the SQL predicate for rows that the user, or an access token of the user, has created. */
export function isCreatedBy(user: Pick<CurrentUser, 'id'>, column: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} = ANY(ARRAY(
    SELECT id FROM users WHERE id = ${user.id} OR bot_of = ${user.id}))`;
}

/**
 * Builds the SQL predicate for the sites that the user may see. Every query that returns sites to a user needs this
 * predicate. `sites` is the alias of the table `sites` in that query.
 * With arrays instead of a join, PostgreSQL finds the few sites of a user through indexes and does not scan all sites.
 */
export function isVisibleTo(user: CurrentUser, sites = 'sites'): RawBuilder<SqlBool> {
  if (user.role === 'owner') return sql<SqlBool>`true`;
  const siteIds = sql`ARRAY(
    SELECT site_id FROM access_grants WHERE user_id = ${user.id} AND site_id IS NOT NULL
    UNION ALL SELECT t.site_id FROM access_grants g JOIN site_tags t ON t.tag_id = g.tag_id
    WHERE g.user_id = ${user.id})`;
  const licenseIds = sql`ARRAY(
    SELECT license_id FROM access_grants WHERE user_id = ${user.id} AND license_id IS NOT NULL)`;
  return sql<SqlBool>`(${sql.ref(`${sites}.id`)} = ANY(${siteIds})
    OR ${sql.ref(`${sites}.license_id`)} = ANY(${licenseIds}))`;
}

/** Builds the SQL predicate for the clients that the user may see: of a visible site, or granted to the user. */
export function isClientVisibleTo(user: CurrentUser, clients: string): RawBuilder<SqlBool> {
  if (user.role === 'owner') return sql<SqlBool>`true`;
  return sql<SqlBool>`${sql.ref(`${clients}.id`)} IN (
    SELECT t.client_id FROM tag_counts n JOIN tags t ON t.id = n.tag_id
    WHERE n.scope = ${user.id} AND n.sites > 0 AND t.client_id IS NOT NULL
    UNION ALL SELECT t.client_id FROM access_grants g JOIN tags t ON t.id = g.tag_id
    WHERE g.user_id = ${user.id} AND t.client_id IS NOT NULL)`;
}
