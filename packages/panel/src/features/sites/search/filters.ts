import type { Environment, PendingFilter, SiteSelectionQuery, SiteStatus } from '@steward/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../platform/database/tables.ts';
import type { CurrentUser } from '../../site-access/index.ts';
import { isOlderStewardPlugin } from '../../software/index.ts';
import { filterBySoftware, readSoftwareFilter, type SoftwareOnSites } from './software-filter.ts';
import {
  ARCHIVED_SITES,
  type Filter,
  filterByStatus,
  type Predicate,
  whereUpdatable,
} from './status-predicates.ts';

/** Each filter becomes a predicate on `sites s` alone, without joins. */
export type SiteFilters = {
  search?: string | undefined;
  status?: SiteStatus | undefined;
  pending?: PendingFilter | undefined;
  environment?: Environment | undefined;
  tag?: string | undefined;
  licenseId?: number | undefined;
  software?: SoftwareOnSites | undefined;
  /** Sites with an older Steward plugin than this version. */
  stewardPluginBelow?: string | undefined;
  /** Only archived sites. Without this filter, archived sites never match. */
  archived?: true | undefined;
};

export async function readFilters(
  db: Database,
  user: CurrentUser,
  query: SiteSelectionQuery,
  shippedPluginVersion: string | null,
): Promise<SiteFilters> {
  const { search, status, pending, environment, tag, license_id } = query;
  const licenseId = license_id === undefined ? undefined : Number(license_id);
  const software = await readSoftwareFilter(db, user, query);
  // No version is older than the empty one, so a panel without a plugin finds no site.
  const stewardPluginBelow =
    query.steward_plugin === undefined ? undefined : (shippedPluginVersion ?? '');
  const archived = query.archived === 'true' ? true : undefined;
  return {
    search,
    status,
    pending,
    environment,
    tag,
    licenseId,
    software,
    stewardPluginBelow,
    archived,
  };
}

const PENDING_PREDICATES: Record<Exclude<PendingFilter, 'updatable'>, Predicate> = {
  any: sql`s.pending_total > 0`,
  plugins: sql`s.pending_plugins > 0`,
  themes: sql`s.pending_themes > 0`,
  core: sql`s.pending_core > 0`,
  none: sql`s.pending_total = 0`,
};

function wherePending(pending: PendingFilter, now: Date): Predicate {
  if (pending !== 'updatable') return PENDING_PREDICATES[pending];
  return sql`(${PENDING_PREDICATES.any} AND ${whereUpdatable(now)})`;
}

const NOT_ARCHIVED: Filter = { predicate: sql`s.archived_at IS NULL` };
const ONLY_ARCHIVED: Filter = {
  predicate: sql`s.archived_at IS NOT NULL`,
  candidates: ARCHIVED_SITES,
  areCandidatesExact: true,
};

function filterByEnvironment(environment: Environment): Filter {
  const fromOtherEnvironments = sql`FROM license_activations e WHERE e.environment <> 'production'`;
  const environmentOfSite = sql`(SELECT e.environment ${fromOtherEnvironments} AND e.site_id = s.id)`;
  return environment === 'production'
    ? { predicate: sql`s.id NOT IN (SELECT e.site_id ${fromOtherEnvironments})` }
    : {
        predicate: sql`${environmentOfSite} = ${environment}`,
        candidates: sql`SELECT e.site_id ${fromOtherEnvironments} AND e.environment = ${environment}`,
        areCandidatesExact: true,
      };
}

function filterByTag(name: string): Filter {
  const tagId = sql`(SELECT t.id FROM tags t WHERE lower(t.name) = lower(${name.trim()}))`;
  return {
    predicate: sql`(SELECT 1 FROM site_tags st WHERE st.site_id = s.id AND st.tag_id = ${tagId}) IS NOT NULL`,
    candidates: sql`SELECT st.site_id FROM site_tags st WHERE st.tag_id = ${tagId}`,
    areCandidatesExact: true,
  };
}

function filterByOlderStewardPlugin(version: string): Filter {
  const installed = sql`FROM site_software h WHERE ${isOlderStewardPlugin(version)}`;
  return {
    predicate: sql`EXISTS (SELECT ${installed} AND h.site_id = s.id)`,
    candidates: sql`SELECT DISTINCT h.site_id ${installed}`,
    areCandidatesExact: true,
  };
}

function filterByLicense(licenseId: number): Filter {
  return {
    predicate: sql`s.license_id = ${licenseId}`,
    candidates: sql`SELECT o.id FROM sites o WHERE o.license_id = ${licenseId}`,
    areCandidatesExact: true,
  };
}

/** A trigram index needs three letters; with fewer, LIKE would read the whole index. */
export const isTooShortForTrigrams = (name: string) => name !== '' && [...name].length <= 2;

function whereNameContains(part: string): Predicate {
  return isTooShortForTrigrams(part)
    ? sql`strpos(s.name, ${part}) > 0`
    : sql`s.name LIKE ${`%${escapeLike(part)}%`}`;
}

/** Matches the same sites as `isVisibleTo`, but faster for many sites: PostgreSQL hashes these subqueries. */
function whereGrantedTo(user: CurrentUser): Predicate {
  const hasGrant = (grantColumn: 'site_id' | 'license_id', siteColumn: 'id' | 'license_id') =>
    sql`EXISTS (SELECT FROM access_grants g
      WHERE g.user_id = ${user.id} AND g.${sql.ref(grantColumn)} IS NOT NULL
        AND g.${sql.ref(grantColumn)} = s.${sql.ref(siteColumn)})`;
  const hasGrantedTag = sql`EXISTS (SELECT FROM access_grants g JOIN site_tags t ON t.tag_id = g.tag_id
    WHERE g.user_id = ${user.id} AND t.site_id = s.id)`;
  return sql`(${hasGrant('site_id', 'id')} OR ${hasGrant('license_id', 'license_id')} OR ${hasGrantedTag})`;
}

/**
 * Returns a subquery for the ids of the sites granted to a user. With `UNION ALL`, a site that is granted directly,
 * through its license and through tags appears up to three times.
 */
export function grantedSiteIds(userId: number, union: 'UNION' | 'UNION ALL'): RawBuilder<unknown> {
  return sql`SELECT site_id AS id FROM access_grants WHERE user_id = ${userId} AND site_id IS NOT NULL
    ${sql.raw(union)}
    SELECT s.id FROM access_grants g JOIN sites s ON s.license_id = g.license_id
    WHERE g.user_id = ${userId}
    ${sql.raw(union)}
    (SELECT DISTINCT t.site_id FROM access_grants g JOIN site_tags t ON t.tag_id = g.tag_id
    WHERE g.user_id = ${userId})`;
}

export type SitePredicate = {
  predicate: Predicate;
  /** A subquery whose ids include all matches. `predicate` is null if all these sites match. */
  candidates: { ids: RawBuilder<unknown>; predicate: Predicate | null } | null;
};

/** Takes the candidates from the first filter that has them. Filters that usually match the fewest sites come first. */
export function combineFilters(
  user: CurrentUser | null,
  filters: SiteFilters,
  now: Date,
): SitePredicate {
  const { status, pending, environment, tag, licenseId, software } = filters;
  const { stewardPluginBelow, archived } = filters;
  const name = parseNameSearch(filters);
  const all: Filter[] = [
    archived ? ONLY_ARCHIVED : NOT_ARCHIVED,
    ...(licenseId === undefined ? [] : [filterByLicense(licenseId)]),
    ...(software
      ? [filterBySoftware(software, { isOnlyFilter: countFilters(filters) === 1 })]
      : []),
    ...(tag === undefined ? [] : [filterByTag(tag)]),
    ...(stewardPluginBelow === undefined ? [] : [filterByOlderStewardPlugin(stewardPluginBelow)]),
    ...(status ? [filterByStatus(status, now)] : []),
    ...(environment ? [filterByEnvironment(environment)] : []),
    ...(pending ? [{ predicate: wherePending(pending, now) }] : []),
    ...(name === '' ? [] : [{ predicate: whereNameContains(name) }]),
    ...(user ? [{ predicate: whereGrantedTo(user) }] : []),
  ];
  const candidateFilter = all.find(({ candidates }) => candidates);
  const remaining = all.filter(
    (filter) => filter !== candidateFilter || !filter.areCandidatesExact,
  );
  return {
    predicate: joinWithAnd(all),
    candidates: candidateFilter?.candidates
      ? {
          ids: candidateFilter.candidates,
          predicate: remaining.length > 0 ? joinWithAnd(remaining) : null,
        }
      : null,
  };
}

export const countFilters = (filters: Partial<SiteFilters>): number =>
  Object.values(filters).filter((filter) => filter !== undefined).length;

function joinWithAnd(filters: Filter[]): Predicate {
  const predicates = filters.map(({ predicate }) => predicate);
  return sql`${sql.join(predicates, sql` AND `)}`;
}

/**
 * Returns the text to find in site names; empty matches all sites. Removes the scheme, `www.` and trailing slash of a
 * pasted address, because names do not contain them.
 */
export function parseNameSearch({ search = '' }: SiteFilters): string {
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
