import type { SiteSort } from '@steward/contract';
import { type RawBuilder, sql } from 'kysely';
import { inNaturalOrder } from '../../../platform/database/natural-order.ts';

type SortOrder = {
  table: 'site' | 'activation';
  key: RawBuilder<unknown>;
  /** `toText` and `fromText` convert the sort key to the text of a cursor, and back. */
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
/** The text is in milliseconds, the precision of the panel's clock. */
const asTime = {
  toText: (key: RawBuilder<unknown>) => sql`round(extract(epoch FROM ${key}) * 1000)::bigint::text`,
  fromText: (text: string) => sql`to_timestamp(${text}::text::bigint / 1000.0)`,
  isValidText: isWholeNumber,
};

/** The status is not a column. `findPageByStatus` sorts by status. */
export type ColumnSort = Exclude<SiteSort, 'status'>;

/** An index supports each order except `last_check`: every check-in would have to update that index. */
export const SORT_ORDERS: Record<ColumnSort, SortOrder> = {
  name: { table: 'site', key: inNaturalOrder(sql`s.name`), ...asText },
  pending: { table: 'site', key: sql`s.pending_total`, ...asNumber },
  // A site that has never checked in sorts as the oldest.
  last_check: {
    table: 'activation',
    key: sql`coalesce(a.last_check_at, to_timestamp(0))`,
    ...asTime,
  },
  cms_version: { table: 'activation', key: sql`version_order(a.cms_version)`, ...asText },
  php_version: { table: 'activation', key: sql`version_order(a.php_version)`, ...asText },
  plugin_version: { table: 'activation', key: sql`version_order(a.plugin_version)`, ...asText },
};

/** True if the database can convert this sort key to the type of the column. */
export function isValidColumnKey(sort: ColumnSort, key: string): boolean {
  return SORT_ORDERS[sort].isValidText(key);
}
