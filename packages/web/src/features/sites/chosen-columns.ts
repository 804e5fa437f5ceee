import { parseSiteColumns, SITE_COLUMNS, type SiteColumn } from '@steward/contract';
import type { Column } from './columns.tsx';

/** Narrow enough for all columns on a wide screen. Long texts are cut off. */
const WIDTHS: Partial<Record<SiteColumn, string>> = {
  name: 'minmax(140px, 2.4fr)',
  status: 'minmax(120px, 1.4fr)',
  pending: 'minmax(84px, 1fr)',
  cms: 'minmax(56px, 0.7fr)',
  php: 'minmax(56px, 0.7fr)',
  plugin: 'minmax(60px, 0.7fr)',
  uptime: 'minmax(72px, 0.9fr)',
  certificate: 'minmax(76px, 0.9fr)',
  backup: 'minmax(84px, 0.9fr)',
  check: 'minmax(84px, 0.9fr)',
  client: 'minmax(72px, 1fr)',
  tags: 'minmax(64px, 1fr)',
  license: 'minmax(84px, 1fr)',
};

/** The chosen columns with the name, and their widths. Null: no choice, so the table shows the usual ones. */
export function chooseColumns(
  all: Column[],
  text: string | undefined,
): { columns: Column[]; widths: string } | null {
  const chosen = parseSiteColumns(text);
  if (chosen === null) return null;
  const columns = all.filter(({ id }) => id === 'name' || chosen.includes(id as SiteColumn));
  const widths = columns.map(({ id }) => WIDTHS[id as SiteColumn] ?? 'minmax(72px, 1fr)').join(' ');
  return { columns, widths };
}

/** The text for the URL after a click on one column. Undefined: these are the usual ones. */
export function toggleColumn(
  shown: readonly string[],
  id: string,
  usual: readonly string[],
): string | undefined {
  const next = SITE_COLUMNS.filter((column) =>
    column === id ? !shown.includes(id) : shown.includes(column),
  );
  const isUsual = next.length === usual.length && next.every((column) => usual.includes(column));
  return isUsual ? undefined : next.join(',');
}
