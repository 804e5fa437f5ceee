import type { LicenseStatus } from '@steward/contract';
import { TOTAL_MAX } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/tables.ts';
import { type LicenseRecord, selectLicenses } from './licenses.repository.ts';

export type LicenseFilters = {
  search?: string | undefined;
  status?: LicenseStatus | undefined;
  plan?: string | undefined;
  now: Date;
};

type Condition = RawBuilder<SqlBool>;

const IN_USE = sql`EXISTS (SELECT FROM license_activations a WHERE a.license_id = l.id AND a.status = 'active')`;

/** The same in SQL as `verdict()` in the contract; a test holds them together. */
function hasStatus(status: LicenseStatus, now: Date): Condition {
  const isValid = sql`l.status = 'active' AND (l.expires_at IS NULL OR l.expires_at > ${now})`;
  switch (status) {
    case 'revoked':
    case 'suspended':
      return sql`l.status = ${status}`;
    case 'expired':
      return sql`(l.status = 'active' AND l.expires_at <= ${now})`;
    case 'active':
      return sql`(${isValid} AND ${IN_USE})`;
    case 'inactive':
      return sql`(${isValid} AND NOT ${IN_USE})`;
  }
}

/** By the end of the key, which is what people can see of it, or by the plan. */
function isCalled(search: string): Condition {
  const part = `%${search.trim().replace(/[\\%_]/g, '\\$&')}%`;
  return sql`(l.key_last_six LIKE upper(${part}) OR p.name ILIKE ${part})`;
}

function matching({ search, status, plan, now }: LicenseFilters): Condition {
  const conditions: Condition[] = [
    sql`true`,
    ...(search === undefined ? [] : [isCalled(search)]),
    ...(status === undefined ? [] : [hasStatus(status, now)]),
    ...(plan === undefined ? [] : [sql<SqlBool>`p.slug = ${plan}`]),
  ];
  return sql`${sql.join(conditions, sql` AND `)}`;
}

/** Newest first. */
export function listLicensePage(
  db: Database,
  filters: LicenseFilters,
  before: number | undefined,
  limit: number,
): Promise<LicenseRecord[]> {
  return selectLicenses(db)
    .where(matching(filters))
    .$if(before !== undefined, (query) => query.where('l.id', '<', before ?? 0))
    .orderBy('l.id', 'desc')
    .limit(limit)
    .execute();
}

/** Stops at one more than anybody is told. */
export async function countLicenses(db: Database, filters: LicenseFilters): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT FROM licenses l JOIN plans p ON p.id = l.plan_id
      WHERE ${matching(filters)} LIMIT ${TOTAL_MAX + 1}) AS counted`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The next to end comes first. */
export function listExpiring(
  db: Database,
  between: { from: Date; to: Date },
  limit: number,
): Promise<LicenseRecord[]> {
  return selectLicenses(db)
    .where('l.status', '=', 'active')
    .where('l.expires_at', '>', between.from)
    .where('l.expires_at', '<=', between.to)
    .orderBy('l.expires_at')
    .orderBy('l.id')
    .limit(limit)
    .execute();
}
