/** The only file of the site search that other files may import. */
export { listSiteIds, searchSites } from './search-sites.ts';
export { SITE_COLUMNS, type SiteRow } from './site-columns.ts';
export {
  ARCHIVED_SITES,
  type Predicate,
  siteStatusSql,
  whereUpdatable,
} from './status-predicates.ts';
