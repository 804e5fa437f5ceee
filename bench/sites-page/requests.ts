import { SITE_SORTS, SITE_STATUSES } from '@steward/contract';

/** A request to the panel. Its times are printed. With `hasLimit` they must stay within the limits. */
export type MeasuredRequest = {
  name: string;
  path: string;
  as: 'owner' | 'manager';
  hasLimit: boolean;
};

const list = (query: string) => `/panel/sites?${query}`;

/** The cursor of a page in the middle of the list, sorted by name. */
const MIDDLE_CURSOR = Buffer.from(JSON.stringify(['sites name asc', 'm', 0])).toString('base64url');

/** Pages in every order, and searches. The limits apply to the owner. */
const pages: [string, string][] = [
  ['first page', ''],
  ['page of 200', 'limit=200'],
  ['deep page', `cursor=${MIDDLE_CURSOR}`],
  ['search: one site', 'search=-777.'],
  ['search: rare word', 'search=museum-bruges'],
  ['search: common word', 'search=shop'],
  ['search: no match', 'search=zebra'],
  ['search: two letters', 'search=or'],
  ['search: two letters, no match', 'search=qx'],
  ...SITE_SORTS.filter((sort) => sort !== 'last_check').map((sort): [string, string] => [
    `sort by ${sort}`,
    `sort=${sort}`,
  ]),
  ['sort by status, descending', 'sort=status&order=desc'],
];

/**
 * Filters, whose total counts up to a thousand matches, and the sort order that has no index on purpose
 * (docs/decisions/0010-sites-for-screens.md). They have no limit, but are marked when they exceed it.
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

export const REQUESTS: MeasuredRequest[] = (['owner', 'manager'] as const).flatMap((as) => [
  // The baseline: the cost of the session check in every request.
  { name: 'session', path: '/panel/session', as, hasLimit: false },
  ...pages.map(([name, query]) => ({ name, path: list(query), as, hasLimit: as === 'owner' })),
  ...filters.map(([name, query]) => ({ name, path: list(query), as, hasLimit: false })),
  ...others.map(([name, path]) => ({ name, path, as, hasLimit: false })),
]);
