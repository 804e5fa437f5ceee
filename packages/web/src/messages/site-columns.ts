import type { SiteColumn } from '@steward/contract';

/** The choice of columns. */
export const siteColumnsMessages = {
  menu: 'Columns',
  reset: 'Show the usual columns',
  labels: { backup: 'Last backup', license: 'License' } satisfies Partial<
    Record<SiteColumn, string>
  >,
} as const;
