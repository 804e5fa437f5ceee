import type { SiteSort } from '@steward/contract';
import { type RawBuilder, sql } from 'kysely';

type SortOrder = {
  table: 'site' | 'activation';
  key: RawBuilder<unknown>;
  /** Converts the key to the text of a cursor, and back. */
  toText(key: RawBuilder<unknown>): RawBuilder<unknown>;
  fromText(text: string): RawBuilder<unknown>;
  isValidText(text: string): boolean;
};

const asText = {
  toText: (key: RawBuilder<unknown>) => sql`${key}::text`,
  fromText: (text: string) => sql`${text}::text`,
  isValidText: () => true,
};
const isWholeNumber = (text: string) => /^\d{1,15}$/.test(text);
const asNumber = {
  ...asText,
  fromText: (text: string) => sql`${text}::text::bigint`,
  isValidText: isWholeNumber,
};
/** In milliseconds, the precision of the panel's clock. */
const asTime = {
  toText: (key: RawBuilder<unknown>) => sql`round(extract(epoch FROM ${key}) * 1000)::bigint::text`,
  fromText: (text: string) => sql`to_timestamp(${text}::text::bigint / 1000.0)`,
  isValidText: isWholeNumber,
};

/** The status is not a column: that order reads one status after the other, each by name. */
export type ColumnSort = Exclude<SiteSort, 'status'>;

/** Each order has an index except `last_check`: every check-in would have to write that index. */
export const SORT_ORDERS: Record<ColumnSort, SortOrder> = {
  name: { table: 'site', key: sql`s.name`, ...asText },
  pending: { table: 'site', key: sql`s.pending_total`, ...asNumber },
  // A site that never checked in is the oldest.
  last_check: {
    table: 'activation',
    key: sql`coalesce(a.last_check_at, to_timestamp(0))`,
    ...asTime,
  },
  cms_version: { table: 'activation', key: sql`version_order(a.cms_version)`, ...asText },
  php_version: { table: 'activation', key: sql`version_order(a.php_version)`, ...asText },
  plugin_version: { table: 'activation', key: sql`version_order(a.plugin_version)`, ...asText },
};

/** Whether the database can convert this cursor key to the type of the column. */
export function isColumnKey(sort: ColumnSort, key: string): boolean {
  return SORT_ORDERS[sort].isValidText(key);
}
