import {
  type CertificateFilter,
  certificateEndsBefore,
  type Environment,
  listVersionsOf,
  type PendingFilter,
  type SiteSelectionQuery,
  type SiteStatus,
  type SupportFilter,
} from '@steward/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../platform/database/handles.ts';
import { type CurrentUser, scopeOf } from '../../site-access/index.ts';
import { isOlderStewardPlugin } from '../../software/index.ts';
import { filterBySoftware, readSoftwareFilter, type SoftwareOnSites } from './software-filter.ts';
import {
  ARCHIVED_SITES,
  type Filter,
  filterByStatus,
  type Predicate,
  type SiteSource,
  whereUpdatable,
} from './status-predicates.ts';

/** Each filter becomes a predicate on a row `s` of `listed_sites` or `sites`, without joins. */
export type SiteFilters = {
  search?: string | undefined;
  status?: SiteStatus | undefined;
  pending?: PendingFilter | undefined;
  environment?: Environment | undefined;
  tag?: TagOnSites | undefined;
  /** `none`: sites without a client. */
  client?: TagOnSites | 'none' | undefined;
  licenseId?: number | undefined;
  software?: SoftwareOnSites | undefined;
  /** Sites with an older Steward plugin than this version. */
  stewardPluginBelow?: string | undefined;
  support?: SupportFilter | undefined;
  certificate?: CertificateFilter | undefined;
  /** Only archived sites. Without this filter, archived sites never match. */
  archived?: true | undefined;
};

export async function readFilters(
  db: Database,
  user: CurrentUser,
  query: SiteSelectionQuery,
  shippedPluginVersion: string | null,
): Promise<SiteFilters> {
  const { search, status, pending, environment, license_id, support, certificate } = query;
  const licenseId = license_id === undefined ? undefined : Number(license_id);
  const software = await readSoftwareFilter(db, user, query);
  const tag = query.tag === undefined ? undefined : await readTag(db, user, query.tag);
  const client = await readClientTag(db, user, query.client_id);
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
    client,
    licenseId,
    software,
    stewardPluginBelow,
    support,
    certificate,
    archived,
  };
}

const PENDING_PREDICATES: Record<Exclude<PendingFilter, 'updatable'>, Predicate> = {
  any: sql`s.pending_total > 0`,
  // `pending_total` has an index.
  plugins: sql`(s.pending_total > 0 AND s.pending_plugins > 0)`,
  themes: sql`(s.pending_total > 0 AND s.pending_themes > 0)`,
  core: sql`(s.pending_total > 0 AND s.pending_core > 0)`,
  none: sql`s.pending_total = 0`,
};

function wherePending(pending: PendingFilter, now: Date): Predicate {
  if (pending !== 'updatable') return PENDING_PREDICATES[pending];
  return sql`(${PENDING_PREDICATES.any} AND ${whereUpdatable(now)})`;
}

/** The predicate is true, because the source has only archived sites: see `sourceFor`. */
const ONLY_ARCHIVED: Filter = {
  predicate: sql`true`,
  candidates: ARCHIVED_SITES,
  predicateOfCandidates: null,
};

function filterByEnvironment(environment: Environment): Filter {
  const fromOtherEnvironments = sql`FROM license_activations e WHERE e.environment <> 'production'`;
  const environmentOfSite = sql`(SELECT e.environment ${fromOtherEnvironments} AND e.site_id = s.id)`;
  return environment === 'production'
    ? { predicate: sql`s.id NOT IN (SELECT e.site_id ${fromOtherEnvironments})` }
    : {
        predicate: sql`${environmentOfSite} = ${environment}`,
        candidates: sql`SELECT e.site_id ${fromOtherEnvironments} AND e.environment = ${environment}`,
        predicateOfCandidates: null,
      };
}

/** A tag and the number of sites with it that the user may see. `id` is null if there is no such tag. */
type TagOnSites = { id: number | null; visibleSites: number };

async function readTag(db: Database, user: CurrentUser, name: string): Promise<TagOnSites> {
  const { rows } = await sql<TagOnSites>`
    SELECT t.id, coalesce(c.sites, 0) AS "visibleSites" FROM tags t
    LEFT JOIN tag_counts c ON c.tag_id = t.id AND c.scope = ${scopeOf(user)}
    WHERE lower(t.name) = lower(${name.trim()}) AND t.client_id IS NULL`.execute(db);
  return rows[0] ?? { id: null, visibleSites: 0 };
}

/** The sites of a client have its tag. */
async function readClientTag(
  db: Database,
  user: CurrentUser,
  clientId: string | undefined,
): Promise<TagOnSites | 'none' | undefined> {
  if (clientId === undefined || clientId === 'none') return clientId;
  const { rows } = await sql<TagOnSites>`
    SELECT t.id, coalesce(c.sites, 0) AS "visibleSites" FROM tags t
    LEFT JOIN tag_counts c ON c.tag_id = t.id AND c.scope = ${scopeOf(user)}
    WHERE t.client_id = ${Number(clientId)}`.execute(db);
  return rows[0] ?? { id: null, visibleSites: 0 };
}

const WITHOUT_CLIENT: Filter = {
  predicate: sql`NOT EXISTS (SELECT FROM client_memberships m WHERE m.site_id = s.id AND m.ended_at IS NULL)`,
};

function filterByTag({ id }: TagOnSites): Filter {
  return {
    predicate: sql`(SELECT 1 FROM site_tags st WHERE st.site_id = s.id AND st.tag_id = ${id}) IS NOT NULL`,
    candidates: sql`SELECT st.site_id FROM site_tags st WHERE st.tag_id = ${id}`,
    predicateOfCandidates: null,
  };
}

function filterByOlderStewardPlugin(version: string): Filter {
  const installed = sql`FROM site_software h WHERE ${isOlderStewardPlugin(version)}`;
  return {
    predicate: sql`EXISTS (SELECT ${installed} AND h.site_id = s.id)`,
    candidates: sql`SELECT DISTINCT h.site_id ${installed}`,
    predicateOfCandidates: null,
  };
}

/** WordPress runs on PHP: other runtimes belong to another CMS. */
function filterBySupport(filter: SupportFilter, now: Date): Filter {
  const versions = listVersionsOf(filter, now);
  const isFound = filter.startsWith('php')
    ? sql`${majorMinorOf('php_version')} = ANY(${versions}::text[])`
    : sql`${majorMinorOf('cms_version')} = ANY(${versions}::text[]) AND v.php_version ~ '^[0-9]'`;
  return {
    predicate: sql`EXISTS (SELECT FROM license_activations v WHERE v.site_id = s.id AND ${isFound})`,
    candidates: sql`SELECT v.site_id FROM license_activations v WHERE ${isFound}`,
    predicateOfCandidates: null,
  };
}

const majorMinorOf = (column: 'php_version' | 'cms_version') =>
  sql`substring(${sql.ref(`v.${column}`)} FROM '^[0-9]{1,2}[.][0-9]{1,2}(?![0-9])')`;

function filterByCertificate(filter: CertificateFilter, now: Date): Filter {
  const found = sql`FROM site_reachability r
    WHERE r.certificate_expires_at < ${certificateEndsBefore(filter, now)}::timestamptz`;
  return {
    predicate: sql`EXISTS (SELECT ${found} AND r.site_id = s.id)`,
    candidates: sql`SELECT r.site_id ${found}`,
    predicateOfCandidates: null,
  };
}

function filterByLicense(licenseId: number): Filter {
  return {
    predicate: sql`s.license_id = ${licenseId}`,
    candidates: sql`SELECT o.id FROM sites o WHERE o.license_id = ${licenseId}`,
    predicateOfCandidates: null,
  };
}

/** A trigram index needs three letters; with fewer, LIKE would read the whole index. */
const isTooShortForTrigrams = (name: string) => name !== '' && [...name].length <= 2;

function whereNameContains(part: string): Predicate {
  return isTooShortForTrigrams(part)
    ? sql`strpos(s.name, ${part}) > 0`
    : sql`s.name LIKE ${`%${escapeLike(part)}%`}`;
}

/** Finds the candidates of a search by name. `sites` has indexes for it; `listed_sites` has only those for its orders. */
function searchCandidates(part: string): RawBuilder<unknown> {
  return isTooShortForTrigrams(part)
    ? sql`SELECT o.id FROM sites o WHERE letter_groups(o.name) @> ARRAY[${part}::text]`
    : sql`SELECT o.id FROM sites o WHERE o.name LIKE ${`%${escapeLike(part)}%`}`;
}

type Candidates = {
  /** A subquery whose ids include all matches, each once. */
  ids: RawBuilder<unknown>;
  predicate: Predicate;
};

export type SitePredicate = {
  predicate: Predicate;
  candidates: Candidates | null;
  /** Used if `candidates` is null, by statements that find all matches. */
  searchCandidates: Candidates | null;
};

/** Takes the candidates from the first filter that has them. Filters that usually match the fewest sites come first. */
export function combineFilters(filters: SiteFilters, source: SiteSource, now: Date): SitePredicate {
  const { status, pending, environment, tag, licenseId, software } = filters;
  const { client, stewardPluginBelow, support, certificate, archived } = filters;
  const name = parseNameSearch(filters);
  const all: Filter[] = [
    ...(licenseId === undefined ? [] : [filterByLicense(licenseId)]),
    ...(software
      ? [filterBySoftware(software, { isOnlyFilter: countFilters(filters) === 1 })]
      : []),
    ...(tag === undefined ? [] : [filterByTag(tag)]),
    ...(client === undefined ? [] : [client === 'none' ? WITHOUT_CLIENT : filterByTag(client)]),
    ...(archived ? [ONLY_ARCHIVED] : []),
    ...(stewardPluginBelow === undefined ? [] : [filterByOlderStewardPlugin(stewardPluginBelow)]),
    ...(support === undefined ? [] : [filterBySupport(support, now)]),
    ...(certificate === undefined ? [] : [filterByCertificate(certificate, now)]),
    ...(status ? [filterByStatus(status, source, now)] : []),
    ...(environment ? [filterByEnvironment(environment)] : []),
    ...(pending ? [{ predicate: wherePending(pending, now) }] : []),
    ...(name === '' ? [] : [{ predicate: whereNameContains(name) }]),
  ];
  const predicate = joinWithAnd(all.map((filter) => filter.predicate));
  const first = all.find(({ candidates }) => candidates);
  const canSearch = name !== '' && !status && (!isTooShortForTrigrams(name) || all.length === 1);
  return {
    predicate,
    candidates: first?.candidates
      ? {
          ids: first.candidates,
          predicate: joinWithAnd(
            all.flatMap((filter) =>
              filter === first ? (filter.predicateOfCandidates ?? []) : filter.predicate,
            ),
          ),
        }
      : null,
    searchCandidates: canSearch ? { ids: searchCandidates(name), predicate } : null,
  };
}

export const countFilters = (filters: Partial<SiteFilters>): number =>
  Object.values(filters).filter((filter) => filter !== undefined).length;

function joinWithAnd(predicates: Predicate[]): Predicate {
  return predicates.length === 0 ? sql`true` : sql`${sql.join(predicates, sql` AND `)}`;
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
