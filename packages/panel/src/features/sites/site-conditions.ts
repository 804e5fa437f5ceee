import type { Environment, PendingFilter, SiteStatus } from '@steward/contract';
import { sql } from 'kysely';
import { isVisibleTo, type Viewer } from '../site-access/visible-sites.ts';
import { type Condition, type Filter, hasStatus } from './status-conditions.ts';

/** What a site may be looked for by, as conditions on `sites s` alone. */

export type SiteFilters = {
  search?: string | undefined;
  status?: SiteStatus | undefined;
  pending?: PendingFilter | undefined;
  environment?: Environment | undefined;
  tag?: string | undefined;
  licenseId?: number | undefined;
};

const inTheRow = (condition: Condition): Filter => ({ ask: condition, find: condition });

const PENDING: Record<PendingFilter, Condition> = {
  any: sql`s.pending_total > 0`,
  plugins: sql`s.pending_plugins > 0`,
  themes: sql`s.pending_themes > 0`,
  core: sql`s.pending_core > 0`,
  none: sql`s.pending_total = 0`,
};

function isIn(environment: Environment): Filter {
  const elsewhere = sql`FROM license_activations e WHERE e.environment <> 'production'`;
  const there = sql`(SELECT e.environment ${elsewhere} AND e.site_id = s.id)`;
  return environment === 'production'
    ? { ask: sql`${there} IS NULL`, find: sql`s.id NOT IN (SELECT e.site_id ${elsewhere})` }
    : {
        ask: sql`${there} = ${environment}`,
        find: sql`s.id IN (SELECT e.site_id ${elsewhere} AND e.environment = ${environment})`,
      };
}

function hasTag(name: string): Filter {
  const tag = sql`(SELECT t.id FROM tags t WHERE lower(t.name) = lower(${name.trim()}))`;
  return {
    ask: sql`(SELECT 1 FROM site_tags st WHERE st.site_id = s.id AND st.tag_id = ${tag}) IS NOT NULL`,
    find: sql`s.id IN (SELECT st.site_id FROM site_tags st WHERE st.tag_id = ${tag})`,
  };
}

/** The same sites as `isVisibleTo`, which leads to them where they are few. */
function isGrantedTo(user: Viewer): Filter {
  const granted = (column: 'site_id' | 'license_id', of: 'id' | 'license_id') =>
    sql`(SELECT 1 FROM access_grants g
      WHERE g.user_id = ${user.id} AND g.${sql.ref(column)} = s.${sql.ref(of)}) IS NOT NULL`;
  return {
    ask: sql`(${granted('site_id', 'id')} OR ${granted('license_id', 'license_id')})`,
    find: isVisibleTo(user, 's'),
  };
}

export function matches(user: Viewer, filters: SiteFilters, now: Date): Filter {
  const { status, pending, environment, tag, licenseId } = filters;
  const sought = soughtName(filters);
  const conditions: Filter[] = [
    ...(user.role === 'owner' ? [] : [isGrantedTo(user)]),
    ...(sought === '' ? [] : [inTheRow(sql`s.name LIKE ${`%${escapeLike(sought)}%`}`)]),
    ...(status ? [hasStatus(status, now)] : []),
    ...(pending ? [inTheRow(PENDING[pending])] : []),
    ...(environment ? [isIn(environment)] : []),
    ...(tag === undefined ? [] : [hasTag(tag)]),
    ...(licenseId === undefined ? [] : [inTheRow(sql`s.license_id = ${licenseId}`)]),
  ];
  const all = (form: keyof Filter): Condition =>
    sql`${sql.join([sql`true`, ...conditions.map((each) => each[form])], sql` AND `)}`;
  return { ask: all('ask'), find: all('find') };
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
