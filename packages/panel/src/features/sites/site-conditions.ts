import type { Environment, PendingFilter, SiteStatus } from '@steward/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Viewer } from '../site-access/index.ts';
import { type Condition, type Filter, hasStatus, isUpdatable } from './status-conditions.ts';

/** What a site may be looked for by, as conditions on `sites s` alone. */

export type SiteFilters = {
  search?: string | undefined;
  status?: SiteStatus | undefined;
  pending?: PendingFilter | undefined;
  environment?: Environment | undefined;
  tag?: string | undefined;
  licenseId?: number | undefined;
};

const PENDING: Record<Exclude<PendingFilter, 'updatable'>, Condition> = {
  any: sql`s.pending_total > 0`,
  plugins: sql`s.pending_plugins > 0`,
  themes: sql`s.pending_themes > 0`,
  core: sql`s.pending_core > 0`,
  none: sql`s.pending_total = 0`,
};

function isPending(pending: PendingFilter, now: Date): Condition {
  if (pending !== 'updatable') return PENDING[pending];
  return sql`(${PENDING.any} AND ${isUpdatable(now)})`;
}

function isIn(environment: Environment): Filter {
  const elsewhere = sql`FROM license_activations e WHERE e.environment <> 'production'`;
  const there = sql`(SELECT e.environment ${elsewhere} AND e.site_id = s.id)`;
  return environment === 'production'
    ? { ask: sql`s.id NOT IN (SELECT e.site_id ${elsewhere})` }
    : {
        ask: sql`${there} = ${environment}`,
        list: sql`SELECT e.site_id ${elsewhere} AND e.environment = ${environment}`,
        isExact: true,
      };
}

function hasTag(name: string): Filter {
  const tag = sql`(SELECT t.id FROM tags t WHERE lower(t.name) = lower(${name.trim()}))`;
  return {
    ask: sql`(SELECT 1 FROM site_tags st WHERE st.site_id = s.id AND st.tag_id = ${tag}) IS NOT NULL`,
    list: sql`SELECT st.site_id FROM site_tags st WHERE st.tag_id = ${tag}`,
    isExact: true,
  };
}

function isOf(licenseId: number): Filter {
  return {
    ask: sql`s.license_id = ${licenseId}`,
    list: sql`SELECT o.id FROM sites o WHERE o.license_id = ${licenseId}`,
    isExact: true,
  };
}

/** Letters too few for three-letter groups: LIKE would have their index read from end to end. */
export const areFewLetters = (name: string) => name !== '' && [...name].length <= 2;

function isNamed(part: string): Condition {
  return areFewLetters(part)
    ? sql`strpos(s.name, ${part}) > 0`
    : sql`s.name LIKE ${`%${escapeLike(part)}%`}`;
}

/** The same sites as `isVisibleTo`, where many of them are read: a list that is hashed. */
export function isGrantedTo(user: Viewer): Condition {
  const granted = (column: 'site_id' | 'license_id', of: 'id' | 'license_id') =>
    sql`EXISTS (SELECT FROM access_grants g
      WHERE g.user_id = ${user.id} AND g.${sql.ref(column)} IS NOT NULL
        AND g.${sql.ref(column)} = s.${sql.ref(of)})`;
  return sql`(${granted('site_id', 'id')} OR ${granted('license_id', 'license_id')})`;
}

/** Their ids alone. A site that was granted by itself and by its license is one with `UNION` only. */
export function grantedIds(userId: number, union: 'UNION' | 'UNION ALL'): RawBuilder<unknown> {
  return sql`SELECT site_id AS id FROM access_grants WHERE user_id = ${userId} AND site_id IS NOT NULL
    ${sql.raw(union)}
    SELECT s.id FROM access_grants g JOIN sites s ON s.license_id = g.license_id
    WHERE g.user_id = ${userId}`;
}

export type Matching = {
  /** What is asked of each site. */
  ask: Condition;
  /** A list that leads to them, and what is left to ask of those on it; null: nothing. */
  lead: { list: RawBuilder<unknown>; ask: Condition | null } | null;
};

/** Every filter that is set; of the lists, that of the one which mostly leaves fewest. */
export function matches(user: Viewer | null, filters: SiteFilters, now: Date): Matching {
  const { status, pending, environment, tag, licenseId } = filters;
  const sought = soughtName(filters);
  const conditions: Filter[] = [
    ...(licenseId === undefined ? [] : [isOf(licenseId)]),
    ...(tag === undefined ? [] : [hasTag(tag)]),
    ...(status ? [hasStatus(status, now)] : []),
    ...(environment ? [isIn(environment)] : []),
    ...(pending ? [{ ask: isPending(pending, now) }] : []),
    ...(sought === '' ? [] : [{ ask: isNamed(sought) }]),
    ...(user ? [{ ask: isGrantedTo(user) }] : []),
  ];
  const leading = conditions.find(({ list }) => list);
  const left = conditions.filter((each) => each !== leading || !each.isExact);
  return {
    ask: conditions.length > 0 ? all(conditions) : sql`true`,
    lead: leading?.list ? { list: leading.list, ask: left.length > 0 ? all(left) : null } : null,
  };
}

function all(conditions: Filter[]): Condition {
  const asks = conditions.map(({ ask }) => ask);
  return sql`${sql.join(asks, sql` AND `)}`;
}

/**
 * What is looked for in names; empty for all. Names have neither scheme nor `www.` nor a slash at the
 * end; an address that was pasted has.
 */
export function soughtName({ search = '' }: SiteFilters): string {
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
