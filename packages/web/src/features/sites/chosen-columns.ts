import { parseSiteColumns, SITE_COLUMNS, type SiteColumn } from '@steward/contract';
import type { Column } from './columns.tsx';

type Width = [minPixels: number, share: number];

/** Narrow enough for all columns on a wide screen. Long texts are cut off. */
const WIDTHS: Partial<Record<SiteColumn, Width>> = {
  name: [140, 2.4],
  status: [120, 1.4],
  pending: [84, 1],
  cms: [56, 0.7],
  php: [56, 0.7],
  plugin: [60, 0.7],
  uptime: [72, 0.9],
  certificate: [76, 0.9],
  backup: [84, 0.9],
  check: [84, 0.9],
  client: [72, 1],
  tags: [64, 1],
  license: [84, 1],
};

const toTrack = ([minPixels, share]: Width = [72, 1]) => `minmax(${minPixels}px,${share}fr)`;

/** The chosen columns with the name, and their widths. Null: no choice, so the table shows the usual ones. */
export function chooseColumns(
  all: Column[],
  text: string | undefined,
): { columns: Column[]; widths: string } | null {
  const chosen = parseSiteColumns(text);
  if (chosen === null) return null;
  const columns = all.filter(({ id }) => id === 'name' || chosen.includes(id as SiteColumn));
  const widths = columns.map(({ id }) => toTrack(WIDTHS[id as SiteColumn])).join(' ');
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
