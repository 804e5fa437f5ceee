/** What other features may import. */
export type { Filters, SiteItem, View } from './api.ts';
export { type Column, NAME_COLUMN, STATUS_COLUMN } from './columns.tsx';
export { DownloadButton } from './components/download-button.tsx';
export { SiteList, useSiteList } from './components/site-list.tsx';
