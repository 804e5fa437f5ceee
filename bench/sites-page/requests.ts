import { SITE_SORTS, SITE_STATUSES } from '@steward/contract';
import type { MeasuredRequest } from '../fleet/compare-fleets.ts';

const list = (query: string) => `/panel/sites?${query}`;

/** The cursor of a page in the middle of the list, sorted by name. */
const MIDDLE_CURSOR = Buffer.from(JSON.stringify(['sites name asc', 'm', 0])).toString('base64url');

/** Pages in every order, and searches. */
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
  ...SITE_SORTS.map((sort): [string, string] => [`sort by ${sort}`, `sort=${sort}`]),
  ['sort by status, descending', 'sort=status&order=desc'],
];

/** The total of a filter counts up to a thousand matches. */
const filters: [string, string][] = [
  ...SITE_STATUSES.map((status): [string, string] => [`status ${status}`, `status=${status}`]),
  ['tag on 30 %', 'tag=care+plan'],
  ['tag on 1 %', 'tag=client+7'],
  ['pending: core', 'pending=core'],
  ['staging', 'environment=staging'],
  ['shop, failing, by status', 'search=shop&status=failing&sort=status'],
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
  ...[...pages, ...filters].map(([name, query]) => ({
    name,
    path: list(query),
    as,
    hasLimit: true,
  })),
  ...others.map(([name, path]) => ({ name, path, as, hasLimit: true })),
]);
