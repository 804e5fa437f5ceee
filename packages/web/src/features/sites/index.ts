/** What other features may import. */
export { exportUrl, type Filters, type SiteItem, type View } from './api.ts';
export { type Column, NAME_COLUMN, STATUS_COLUMN } from './columns.tsx';
export { SiteList, useSiteList } from './components/site-list.tsx';
