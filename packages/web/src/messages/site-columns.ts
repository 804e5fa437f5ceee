import type { SiteColumn } from '@steward/contract';

/** The choice of columns, and the download of the list. */
export const siteColumnsMessages = {
  menu: 'Columns',
  reset: 'Show the usual columns',
  download: 'Download as CSV',
  labels: { backup: 'Last backup', license: 'License' } satisfies Partial<
    Record<SiteColumn, string>
  >,
} as const;
