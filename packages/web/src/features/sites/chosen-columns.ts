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

/** The width of the gaps between the columns, and of the column of check boxes. */
const GAP_PIXELS = 12;
const TICK_PIXELS = 32;

const DEFAULT_WIDTH: Width = [72, 1];
const toTrack = ([minPixels, share]: Width) => `minmax(${minPixels}px,${share}fr)`;

/** The widths of chosen columns, and the width below which the table scrolls sideways. */
export type ColumnWidths = { tracks: string; minPixels: number };

/** The chosen columns with the name, and their widths. Null: no choice, so the table shows the usual ones. */
export function chooseColumns(
  all: Column[],
  text: string | undefined,
): { columns: Column[]; widths: ColumnWidths } | null {
  const chosen = parseSiteColumns(text);
  if (chosen === null) return null;
  const columns = all.filter(({ id }) => id === 'name' || chosen.includes(id as SiteColumn));
  const widths = columns.map(({ id }) => WIDTHS[id as SiteColumn] ?? DEFAULT_WIDTH);
  const minPixels = widths.reduce((sum, [pixels]) => sum + pixels + GAP_PIXELS, TICK_PIXELS);
  return { columns, widths: { tracks: widths.map(toTrack).join(' '), minPixels } };
}

/** The narrowest window with these columns, if the user has chosen none. */
const MIN_WINDOW_PIXELS: Partial<Record<string, number>> = {
  plugin: 1600,
  uptime: 1400,
  certificate: 1400,
  client: 1200,
  php: 1024,
  tags: 1024,
};

/** The columns that the table shows without a choice. Panels without clients have no column for them. */
export const pickUsualColumns = (
  columns: Column[],
  windowPixels: number,
  hasClients: boolean,
): Column[] =>
  columns.filter(
    ({ id }) => windowPixels >= (MIN_WINDOW_PIXELS[id] ?? 0) && (id !== 'client' || hasClients),
  );

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
