import type { MeasuredRequest } from '../fleet/compare-fleets.ts';

const COMMON = 'plugin-3/plugin-3.php';
const RARE = 'plugin-390/plugin-390.php';

const list = (name: string, query: string) => ({
  name: `list: ${name}`,
  path: `/panel/software?${query}`,
});
const item = (name: string, slug: string) => ({
  name: `item: ${name}`,
  path: `/panel/software/item?${new URLSearchParams({ type: 'plugin', slug })}`,
});
const sites = (name: string, slug: string, more: Record<string, string> = {}, path = 'sites') => ({
  name: `sites: ${name}`,
  path: `/panel/${path}?${new URLSearchParams({ software_type: 'plugin', software: slug, ...more })}`,
});

const requests = [
  list('plugins', 'type=plugin'),
  list('page of 200', 'type=plugin&limit=200'),
  list('search', 'type=plugin&search=shops'),
  list('search, no match', 'type=plugin&search=zebra'),
  list('outdated', 'type=plugin&filter=outdated'),
  list('inactive', 'type=plugin&filter=inactive'),
  list('most sites', 'type=plugin&sort=sites&direction=desc'),
  list('most outdated', 'type=plugin&sort=outdated&direction=desc'),
  list('core', 'type=core'),
  item('on many sites', COMMON),
  item('on few sites', RARE),
  sites('on many', COMMON),
  sites('on few', RARE),
  sites('one version', COMMON, { software_version: '4.11' }),
  sites('outdated', COMMON, { software_outdated: 'true' }),
  sites('outdated, by status', COMMON, { software_outdated: 'true', sort: 'status' }),
  sites('by pending', COMMON, { sort: 'pending', order: 'desc' }),
  sites('on many, search', COMMON, { search: 'museum' }),
  sites('on many, failing', COMMON, { status: 'failing' }),
  sites('on few, failing', RARE, { status: 'failing' }),
  sites('on few, tag on 30 %', RARE, { tag: 'care plan' }),
  sites('ids of outdated', COMMON, { software_outdated: 'true' }, 'sites/ids'),
];

export const REQUESTS: MeasuredRequest[] = (['owner', 'manager'] as const).flatMap((as) => [
  // The baseline: the cost of the session check in every request.
  { name: 'session', path: '/panel/session', as, hasLimit: false },
  ...requests.map((request) => ({ ...request, as, hasLimit: true })),
]);
