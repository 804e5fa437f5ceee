import { SITE_STATUSES, type SiteStatus, TOTAL_MAX } from '@steward/contract';
import type { Database } from '../../database/tables.ts';
import type { Position } from '../../lib/page.ts';
import type { Viewer } from '../site-access/visible-sites.ts';
import { matches, type SiteFilters, soughtName } from './site-conditions.ts';
import {
  countNearby,
  findByLetters,
  findSome,
  keepMatching,
  listSites,
  type PageRequest,
  type SiteRow,
} from './site-list.repository.ts';
import { type Filter, stateOf } from './status-conditions.ts';

/**
 * How sites are found, quickly whether many match or few: read along the order, for a while, and there
 * the page is if every thirtieth site or so matches. If not, they are few, and indexes lead to them.
 */

/** The sites somebody asks for, with what tells the shortest way to them. */
export type Sought = Filter & {
  /** The state that all of them are in, by their own row. */
  state: string | null;
  /** Nothing else is asked, so nearly all in that state match. */
  isDense: boolean;
  /** One or two letters of the name. */
  letters: string | null;
};

type Rows = (SiteRow & Position)[];

const LOOK_AT = 1500;
const COUNT_AMONG = 5000;

export function sought(user: Viewer, filters: SiteFilters, now: Date): Sought {
  const { status, ...others } = filters;
  const state = status ? stateOf(status) : null;
  const name = soughtName(filters);
  const hasOthers =
    user.role !== 'owner' || Object.values(others).some((filter) => filter !== undefined);
  return {
    ...matches(user, filters, now),
    state,
    isDense: !hasOthers && (status === undefined || state !== null),
    letters: name !== '' && [...name].length <= 2 ? name : null,
  };
}

/** A page, and all that match if they had to be looked for and are few. */
export async function findPage(
  db: Database,
  { ask, state, isDense, ...ways }: Sought,
  request: PageRequest,
): Promise<{ rows: Rows; some: number[] | null }> {
  const inState = request.sort === 'name' ? state : null;
  const along = { ask, state: inState };
  if (isDense && (state === null || inState !== null)) {
    return { rows: await listSites(db, along, request), some: null };
  }
  const near = await listSites(db, { ...along, atMost: LOOK_AT }, request);
  if (near.length === request.limit) return { rows: near, some: null };
  const some = await findFew(db, { ask, ...ways });
  const areFew = some.length <= TOTAL_MAX;
  return { rows: await listSites(db, areFew ? some : along, request), some };
}

/** One more than `TOTAL_MAX` when there are more. */
export async function countSites(db: Database, { ask, state, isDense, ...ways }: Sought) {
  const atMost = isDense ? undefined : COUNT_AMONG;
  const near = await countNearby(db, { ask, state, ...(atMost !== undefined && { atMost }) });
  if (isDense || near > TOTAL_MAX) return near;
  return (await findFew(db, { ask, ...ways })).length;
}

async function findFew(
  db: Database,
  { ask, find, letters }: Pick<Sought, 'ask' | 'find' | 'letters'>,
): Promise<number[]> {
  if (letters !== null) {
    const named = await findByLetters(db, letters);
    if (named.length <= TOTAL_MAX) return keepMatching(db, named, ask);
  }
  return findSome(db, find);
}

/** A page of all states, the most urgent first, and by name within each. */
export async function findPageByStatus(
  db: Database,
  statuses: readonly SiteStatus[],
  soughtIn: (status: SiteStatus) => Sought,
  { order, after, limit }: Omit<PageRequest, 'sort'>,
): Promise<Rows> {
  const position = after && positionInStatus(after);
  const isAhead = (status: SiteStatus) => {
    const ahead = position ? SITE_STATUSES.indexOf(status) - position.rank : 0;
    return order === 'asc' ? ahead >= 0 : ahead <= 0;
  };
  const inOrder = order === 'asc' ? statuses : statuses.toReversed();
  const rows: Rows = [];
  for (const status of inOrder.filter(isAhead)) {
    if (rows.length >= limit) break;
    const rank = SITE_STATUSES.indexOf(status);
    const start = position?.rank === rank ? position : undefined;
    const request = { sort: 'name', order, after: start, limit: limit - rows.length } as const;
    const found = await findPage(db, soughtIn(status), request);
    rows.push(...found.rows.map((row) => ({ ...row, key: `${rank} ${row.key}` })));
  }
  return rows;
}

function positionInStatus({ key, id }: Position) {
  const [rank = '', ...name] = key.split(' ');
  return { rank: Number(rank), key: name.join(' '), id };
}

export function isStatusKey(key: string): boolean {
  return /^\d .*$/s.test(key);
}
