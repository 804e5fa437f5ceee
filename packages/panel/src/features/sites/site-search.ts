import { SITE_STATUSES, type SiteStatus, TOTAL_MAX } from '@steward/contract';
import type { Database } from '../../platform/database/tables.ts';
import type { Position } from '../../platform/page.ts';
import type { Viewer } from '../site-access/index.ts';
import {
  areFewLetters,
  type Matching,
  matches,
  type SiteFilters,
  soughtName,
} from './site-conditions.ts';
import {
  countNearby,
  findByLetters,
  findGranted,
  findSome,
  keepMatching,
  listSites,
  type PageRequest,
  type SiteRow,
} from './site-list.repository.ts';
import { stateOf } from './status-conditions.ts';

/**
 * How sites are found, quickly whether many match or few. Where a list leads to those that may match,
 * by it. Elsewhere by reading along the order for a while: there the page is, if every thirtieth site
 * or so matches. If not, they are few, and indexes lead to them.
 */

/** What somebody may see: all; more sites than a list counts; or just these. */
export type Reach = 'all' | 'many' | number[];

/** The sites somebody asks for, with what tells the shortest way to them. */
export type Sought = Matching & {
  reach: Reach;
  /** Nothing is asked but who may see them. */
  isEverything: boolean;
  /** The state that all of them are in, by their own row. */
  state: string | null;
  /** Nearly all that are read along the order match. */
  isDense: boolean;
  /** One or two letters of the name. */
  letters: string | null;
};

type Rows = (SiteRow & Position)[];

const LOOK_AT = 1500;
const COUNT_AMONG = 8000;

export async function reachOf(db: Database, user: Viewer): Promise<Reach> {
  if (user.role === 'owner') return 'all';
  const granted = new Set(await findGranted(db, user.id));
  return granted.size > TOTAL_MAX ? 'many' : [...granted];
}

export function sought(user: Viewer, reach: Reach, filters: SiteFilters, now: Date): Sought {
  const { status, ...others } = filters;
  const isPlain = Object.values(others).every((filter) => filter === undefined);
  const state = status ? stateOf(status) : null;
  const name = soughtName(filters);
  return {
    ...matches(reach === 'many' ? user : null, filters, now),
    reach,
    isEverything: isPlain && !status,
    state,
    isDense: isPlain && (!status || (state !== null && reach === 'all')),
    letters: areFewLetters(name) ? name : null,
  };
}

/** A page, and all that match where they had to be looked for. */
export async function findPage(
  db: Database,
  wanted: Sought,
  request: PageRequest,
): Promise<{ rows: Rows; some: number[] | null }> {
  const { ask, lead, reach, state, isDense } = wanted;
  const along = { ask, state: request.sort === 'name' ? state : null };
  const isByColumnOfSite = along.state === state;
  if (Array.isArray(reach) || lead) return fromSome(await findFew(db, wanted));
  if (isDense && isByColumnOfSite) {
    const atMost = wanted.isEverything && reach === 'all' ? { atMost: request.limit } : {};
    return { rows: await listSites(db, { ...along, ...atMost }, request), some: null };
  }
  const near = await listSites(db, { ...along, atMost: LOOK_AT }, request);
  return near.length === request.limit
    ? { rows: near, some: null }
    : fromSome(await findFew(db, wanted));

  async function fromSome(some: number[]) {
    const areFew = some.length <= TOTAL_MAX;
    return { rows: await listSites(db, areFew ? some : along, request), some };
  }
}

/** One more than `TOTAL_MAX` when there are more. */
export async function countSites(db: Database, wanted: Sought): Promise<number> {
  const { ask, lead, reach, state, isDense, isEverything } = wanted;
  if (isEverything && reach === 'many') return TOTAL_MAX + 1;
  if (Array.isArray(reach) || lead) return (await findFew(db, wanted)).length;
  const atMost = isDense ? {} : { atMost: COUNT_AMONG };
  const near = await countNearby(db, { ask, state, ...atMost });
  return isDense || near > TOTAL_MAX ? near : (await findFew(db, wanted)).length;
}

async function findFew(db: Database, wanted: Sought): Promise<number[]> {
  const { ask, lead, reach, letters } = wanted;
  if (Array.isArray(reach)) return keepMatching(db, reach, ask);
  if (letters !== null && !lead) {
    const named = await findByLetters(db, letters);
    if (named.length <= TOTAL_MAX) return keepMatching(db, named, ask);
  }
  return findSome(db, { ask, lead });
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
