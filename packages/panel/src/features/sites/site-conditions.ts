import {
  type Environment,
  type PendingFilter,
  type SiteStatus,
  staleBefore,
} from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isVisibleTo, type Viewer } from '../site-access/visible-sites.ts';

/**
 * What a site may be looked for by, as conditions on `sites s` alone. What other tables say comes as
 * a list that the database makes once: an array where few sites are wanted, so that it goes to them
 * by an index, and `NOT IN`, which it hashes, where few are to be left out.
 */

export type SiteFilters = {
  search?: string | undefined;
  status?: SiteStatus | undefined;
  pending?: PendingFilter | undefined;
  environment?: Environment | undefined;
  tag?: string | undefined;
  licenseId?: number | undefined;
};

type Condition = RawBuilder<SqlBool>;

const ENDED = sql`SELECT site_id FROM license_activations WHERE status = 'deactivated'`;
const invalidLicenses = (now: Date) =>
  sql`SELECT id FROM licenses WHERE status <> 'active' OR expires_at <= ${now}`;

/** Connected, and with a license that is valid: only such a site can be updated. */
export function isLive(now: Date): Condition {
  return sql<SqlBool>`(s.id NOT IN (${ENDED}) AND s.license_id NOT IN (${invalidLicenses(now)}))`;
}

/** Only said of a site that has reported; the one look elsewhere is for those whose report is old. */
function isStale(now: Date): Condition {
  const limit = staleBefore(now);
  return sql<SqlBool>`(s.inventory_at < ${limit} AND NOT EXISTS (
    SELECT FROM license_activations seen WHERE seen.site_id = s.id AND seen.last_check_at >= ${limit}))`;
}

/** The same in SQL as `siteStatus()` in the contract; a test holds them together. */
export function statusOf(now: Date): RawBuilder<SiteStatus> {
  return sql<SiteStatus>`CASE
    WHEN s.id IN (${ENDED}) THEN 'deactivated'
    WHEN s.license_id IN (${invalidLicenses(now)}) THEN 'license_invalid'
    WHEN s.inventory_at IS NULL THEN 'never_reported'
    WHEN ${isStale(now)} THEN 'stale'
    ELSE 'active' END`;
}

function hasStatus(status: SiteStatus, now: Date): Condition {
  switch (status) {
    case 'deactivated':
      return sql`s.id = ANY(ARRAY(${ENDED}))`;
    case 'license_invalid':
      return sql`(s.license_id = ANY(ARRAY(${invalidLicenses(now)})) AND s.id NOT IN (${ENDED}))`;
    case 'never_reported':
      return sql`(s.inventory_at IS NULL AND ${isLive(now)})`;
    case 'stale':
      return sql`(${isStale(now)} AND ${isLive(now)})`;
    case 'active':
      return sql`(s.inventory_at IS NOT NULL AND NOT ${isStale(now)} AND ${isLive(now)})`;
  }
}

const PENDING: Record<PendingFilter, Condition> = {
  any: sql`s.pending_total > 0`,
  plugins: sql`s.pending_plugins > 0`,
  themes: sql`s.pending_themes > 0`,
  core: sql`s.pending_core > 0`,
  none: sql`s.pending_total = 0`,
};

function isIn(environment: Environment): Condition {
  const elsewhere = sql`SELECT site_id FROM license_activations WHERE environment <> 'production'`;
  return environment === 'production'
    ? sql`s.id NOT IN (${elsewhere})`
    : sql`s.id = ANY(ARRAY(${elsewhere} AND environment = ${environment}))`;
}

const hasTag = (tag: string): Condition =>
  sql`s.id = ANY(ARRAY(SELECT st.site_id FROM site_tags st JOIN tags t ON t.id = st.tag_id
      WHERE lower(t.name) = lower(${tag.trim()})))`;

export function matches(user: Viewer, filters: SiteFilters, now: Date): Condition {
  const { search, status, pending, environment, tag, licenseId } = filters;
  const sought = search === undefined ? '' : soughtName(search);
  const conditions: Condition[] = [
    isVisibleTo(user, 's'),
    ...(sought === '' ? [] : [sql<SqlBool>`s.name LIKE ${`%${escapeLike(sought)}%`}`]),
    ...(status ? [hasStatus(status, now)] : []),
    ...(pending ? [PENDING[pending]] : []),
    ...(environment ? [isIn(environment)] : []),
    ...(tag === undefined ? [] : [hasTag(tag)]),
    ...(licenseId === undefined ? [] : [sql<SqlBool>`s.license_id = ${licenseId}`]),
  ];
  return sql<SqlBool>`${sql.join(conditions, sql` AND `)}`;
}

/** Names have neither scheme nor `www.` nor a slash at the end; an address that was pasted has. */
function soughtName(search: string): string {
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
