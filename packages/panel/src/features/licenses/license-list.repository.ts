import type { LicenseStatus } from '@steward/contract';
import { TOTAL_MAX } from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { type LicenseRecord, selectLicenses } from './licenses.repository.ts';

export type LicenseFilters = {
  search?: string | undefined;
  status?: LicenseStatus | undefined;
  plan?: string | undefined;
  now: Date;
};

type Predicate = RawBuilder<SqlBool>;

const IN_USE = sql`l.counted_sites + l.uncounted_sites > 0`;

/** Must agree with `evaluateLicense()` in the contract; a test compares the two. */
function hasStatus(status: LicenseStatus, now: Date): Predicate {
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
      return sql`(${isValid} AND NOT (${IN_USE}))`;
  }
}

/** Searches plan, name, customer and the last six characters of the key, which lists show. */
function matchesSearch(search: string): Predicate {
  const pattern = `%${search.trim().replace(/[\\%_]/g, '\\$&')}%`;
  return sql`(l.key_last_six LIKE upper(${pattern}) OR p.name ILIKE ${pattern}
    OR l.name ILIKE ${pattern} OR l.customer ILIKE ${pattern})`;
}

function combineFilters({ search, status, plan, now }: LicenseFilters): Predicate {
  const predicates: Predicate[] = [
    sql`true`,
    ...(search === undefined ? [] : [matchesSearch(search)]),
    ...(status === undefined ? [] : [hasStatus(status, now)]),
    ...(plan === undefined ? [] : [sql<SqlBool>`p.slug = ${plan}`]),
  ];
  return sql`${sql.join(predicates, sql` AND `)}`;
}

/** Lists the newest licenses first. */
export function listLicensePage(
  db: Database,
  filters: LicenseFilters,
  beforeId: number | undefined,
  limit: number,
): Promise<LicenseRecord[]> {
  return selectLicenses(db)
    .where(combineFilters(filters))
    .$if(beforeId !== undefined, (query) => query.where('l.id', '<', beforeId ?? 0))
    .orderBy('l.id', 'desc')
    .limit(limit)
    .execute();
}

/** Counts at most `TOTAL_MAX + 1` licenses. */
export async function countLicenses(db: Database, filters: LicenseFilters): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT FROM licenses l JOIN plans p ON p.id = l.plan_id
      WHERE ${combineFilters(filters)} LIMIT ${TOTAL_MAX + 1}) AS counted`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Lists the licenses by expiry, the earliest first. */
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
