/** The columns of a list of sites. `version` to `changed`: only in lists with the filter `software`. */
export const SITE_COLUMNS = [
  'name',
  'status',
  'version',
  'active',
  'hold',
  'health',
  'changed',
  'pending',
  'cms',
  'php',
  'plugin',
  'uptime',
  'certificate',
  'backup',
  'check',
  'client',
  'tags',
  'license',
] as const;
export type SiteColumn = (typeof SITE_COLUMNS)[number];

/** Reads a text such as `status,php`. Unknown words are left out; without a known one, the result is null. */
export function parseSiteColumns(text: string | undefined): SiteColumn[] | null {
  const words = new Set(text?.split(','));
  const columns = SITE_COLUMNS.filter((column) => words.has(column));
  return columns.length === 0 ? null : columns;
}
