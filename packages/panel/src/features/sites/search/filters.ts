import type { Environment, PendingFilter, SiteSelectionQuery, SiteStatus } from '@steward/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Viewer } from '../../site-access/index.ts';
import { type Filter, hasStatus, isUpdatable, type Predicate } from './status-predicates.ts';

/** The filters of a site query, as predicates on `sites s` alone. */

export type SiteFilters = {
  search?: string | undefined;
  status?: SiteStatus | undefined;
  pending?: PendingFilter | undefined;
  environment?: Environment | undefined;
  tag?: string | undefined;
  licenseId?: number | undefined;
};

export function parseFilters(query: SiteSelectionQuery): SiteFilters {
  const { search, status, pending, environment, tag, license_id } = query;
  const licenseId = license_id === undefined ? undefined : Number(license_id);
  return { search, status, pending, environment, tag, licenseId };
}

const PENDING: Record<Exclude<PendingFilter, 'updatable'>, Predicate> = {
  any: sql`s.pending_total > 0`,
  plugins: sql`s.pending_plugins > 0`,
  themes: sql`s.pending_themes > 0`,
  core: sql`s.pending_core > 0`,
  none: sql`s.pending_total = 0`,
};

function hasPending(pending: PendingFilter, now: Date): Predicate {
  if (pending !== 'updatable') return PENDING[pending];
  return sql`(${PENDING.any} AND ${isUpdatable(now)})`;
}

function hasEnvironment(environment: Environment): Filter {
  const notProduction = sql`FROM license_activations e WHERE e.environment <> 'production'`;
  const ofSite = sql`(SELECT e.environment ${notProduction} AND e.site_id = s.id)`;
  return environment === 'production'
    ? { predicate: sql`s.id NOT IN (SELECT e.site_id ${notProduction})` }
    : {
        predicate: sql`${ofSite} = ${environment}`,
        candidates: sql`SELECT e.site_id ${notProduction} AND e.environment = ${environment}`,
        areCandidatesExact: true,
      };
}

function hasTag(name: string): Filter {
  const tag = sql`(SELECT t.id FROM tags t WHERE lower(t.name) = lower(${name.trim()}))`;
  return {
    predicate: sql`(SELECT 1 FROM site_tags st WHERE st.site_id = s.id AND st.tag_id = ${tag}) IS NOT NULL`,
    candidates: sql`SELECT st.site_id FROM site_tags st WHERE st.tag_id = ${tag}`,
    areCandidatesExact: true,
  };
}

function hasLicense(licenseId: number): Filter {
  return {
    predicate: sql`s.license_id = ${licenseId}`,
    candidates: sql`SELECT o.id FROM sites o WHERE o.license_id = ${licenseId}`,
    areCandidatesExact: true,
  };
}

/** LIKE with fewer than three letters would read the whole trigram index. */
export const isTooShortForTrigrams = (name: string) => name !== '' && [...name].length <= 2;

function hasNameWith(part: string): Predicate {
  return isTooShortForTrigrams(part)
    ? sql`strpos(s.name, ${part}) > 0`
    : sql`s.name LIKE ${`%${escapeLike(part)}%`}`;
}

/** The same sites as `isVisibleTo`, for queries that read many sites: PostgreSQL hashes these subqueries. */
function isGrantedTo(user: Viewer): Predicate {
  const granted = (column: 'site_id' | 'license_id', of: 'id' | 'license_id') =>
    sql`EXISTS (SELECT FROM access_grants g
      WHERE g.user_id = ${user.id} AND g.${sql.ref(column)} IS NOT NULL
        AND g.${sql.ref(column)} = s.${sql.ref(of)})`;
  return sql`(${granted('site_id', 'id')} OR ${granted('license_id', 'license_id')})`;
}

/**
 * A subquery for the ids of the sites granted to a user. A site granted directly and through its license appears twice
 * with `UNION ALL`.
 */
export function grantedSiteIds(userId: number, union: 'UNION' | 'UNION ALL'): RawBuilder<unknown> {
  return sql`SELECT site_id AS id FROM access_grants WHERE user_id = ${userId} AND site_id IS NOT NULL
    ${sql.raw(union)}
    SELECT s.id FROM access_grants g JOIN sites s ON s.license_id = g.license_id
    WHERE g.user_id = ${userId}`;
}

export type SitePredicate = {
  predicate: Predicate;
  /** A subquery of ids that includes all matches, and the predicate its ids must still pass; null when all pass. */
  candidates: { ids: RawBuilder<unknown>; predicate: Predicate | null } | null;
};

/** The first filter with candidates supplies them: filters that usually leave the fewest sites come first. */
export function combineFilters(
  user: Viewer | null,
  filters: SiteFilters,
  now: Date,
): SitePredicate {
  const { status, pending, environment, tag, licenseId } = filters;
  const name = nameToFind(filters);
  const all: Filter[] = [
    ...(licenseId === undefined ? [] : [hasLicense(licenseId)]),
    ...(tag === undefined ? [] : [hasTag(tag)]),
    ...(status ? [hasStatus(status, now)] : []),
    ...(environment ? [hasEnvironment(environment)] : []),
    ...(pending ? [{ predicate: hasPending(pending, now) }] : []),
    ...(name === '' ? [] : [{ predicate: hasNameWith(name) }]),
    ...(user ? [{ predicate: isGrantedTo(user) }] : []),
  ];
  const source = all.find(({ candidates }) => candidates);
  const rest = all.filter((filter) => filter !== source || !filter.areCandidatesExact);
  return {
    predicate: all.length > 0 ? and(all) : sql`true`,
    candidates: source?.candidates
      ? { ids: source.candidates, predicate: rest.length > 0 ? and(rest) : null }
      : null,
  };
}

function and(filters: Filter[]): Predicate {
  const predicates = filters.map(({ predicate }) => predicate);
  return sql`${sql.join(predicates, sql` AND `)}`;
}

/**
 * The text to find in site names; empty for all sites. Names have no scheme, `www.` or trailing slash, but a pasted
 * address does.
 */
export function nameToFind({ search = '' }: SiteFilters): string {
  return search
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/+$/, '');
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
