/** A request to the panel. With `hasLimit` its p95 must stay within the limit. */
export type MeasuredRequest = { name: string; path: string; hasLimit: boolean };

const COMMON = 'plugin-3/plugin-3.php';
const RARE = 'plugin-390/plugin-390.php';

const list = (name: string, query: string) => ({
  name: `list: ${name}`,
  path: `/panel/software?${query}`,
  hasLimit: true,
});
const item = (name: string, slug: string) => ({
  name: `item: ${name}`,
  path: `/panel/software/item?${new URLSearchParams({ type: 'plugin', slug })}`,
  hasLimit: true,
});
const sites = (name: string, slug: string, more: Record<string, string> = {}, path = 'sites') => ({
  name: `sites: ${name}`,
  path: `/panel/${path}?${new URLSearchParams({ software_type: 'plugin', software: slug, ...more })}`,
  hasLimit: false,
});

export const REQUESTS: MeasuredRequest[] = [
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
