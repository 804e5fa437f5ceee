import { SITE_SORTS, SITE_STATUSES } from '@steward/contract';

/** What is asked of the panel. Those that are `held` must stay within the limits; all are printed. */
export type Asked = { name: string; path: string; as: 'owner' | 'manager'; isHeld: boolean };

const list = (query: string) => `/panel/sites?${query}`;

/** The cursor of a page in the middle of the names, wherever that is. */
const DEEP = Buffer.from(JSON.stringify(['sites name asc', 'm', 0])).toString('base64url');

/** Pages in every order and searches: held for whoever sees all sites. */
const pages: [string, string][] = [
  ['first page', ''],
  ['page of 200', 'limit=200'],
  ['deep page', `cursor=${DEEP}`],
  ['search: one site', 'search=-777.'],
  ['search: rare word', 'search=museum-bruges'],
  ['search: common word', 'search=shop'],
  ['search: miss', 'search=zebra'],
  ['search: two letters', 'search=or'],
  ['search: two letters, miss', 'search=qx'],
  ...SITE_SORTS.filter((sort) => sort !== 'last_check').map((sort): [string, string] => [
    `sort by ${sort}`,
    `sort=${sort}`,
  ]),
  ['sort by status, backwards', 'sort=status&order=desc'],
];

/**
 * Filters, whose total counts up to a thousand that match, and the order that is read without an index
 * on purpose (docs/decisions/0010-sites-for-screens.md): printed, and marked where they are over.
 */
const filters: [string, string][] = [
  ...SITE_STATUSES.map((status): [string, string] => [`status ${status}`, `status=${status}`]),
  ['tag on 30 %', 'tag=care+plan'],
  ['tag on 1 %', 'tag=client+7'],
  ['pending: core', 'pending=core'],
  ['staging', 'environment=staging'],
  ['shop, failing, by status', 'search=shop&status=failing&sort=status'],
  ['sort by last_check', 'sort=last_check'],
];

const others: [string, string][] = [
  ['ids of all', '/panel/sites/ids'],
  ['ids with updates', '/panel/sites/ids?status=updates'],
  ['tags', '/panel/tags'],
  ['overview', '/panel/overview'],
];

export const REQUESTS: Asked[] = (['owner', 'manager'] as const).flatMap((as) => [
  // A session and nothing else: what every call costs.
  { name: 'session', path: '/panel/session', as, isHeld: false },
  ...pages.map(([name, query]) => ({ name, path: list(query), as, isHeld: as === 'owner' })),
  ...filters.map(([name, query]) => ({ name, path: list(query), as, isHeld: false })),
  ...others.map(([name, path]) => ({ name, path, as, isHeld: false })),
]);
