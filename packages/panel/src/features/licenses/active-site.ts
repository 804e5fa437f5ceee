import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Builds the SQL predicate for sites with an active license. With `capability`: only sites that named it. */
export function isActiveSite(siteIdColumn: string, capability?: string): RawBuilder<SqlBool> {
  const hasCapability =
    capability === undefined ? sql`true` : sql`${capability} = ANY(activation.capabilities)`;
  return sql<SqlBool>`EXISTS (SELECT FROM license_activations activation
    WHERE activation.site_id = ${sql.ref(siteIdColumn)} AND activation.status = 'active' AND ${hasCapability})`;
}
