import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, TOTAL_MAX, type Total } from '@steward/contract';
import { AppError } from './app-error.ts';

/**
 * Sort key and id of the last row on a page (keyset pagination). Every page costs the same, and new rows do
 * not shift existing rows to the next page.
 */
export type Position = { key: string; id: number };

export type PageRequest = { cursor?: string | undefined; limit?: string | undefined };

export function pageLimit({ limit }: PageRequest): number {
  if (limit === undefined) return PAGE_LIMIT_DEFAULT;
  const count = /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (count >= 1 && count <= PAGE_LIMIT_MAX) return count;
  throw new AppError('invalid_request', {
    message: `limit must be a whole number from 1 to ${PAGE_LIMIT_MAX}.`,
  });
}

/** `list` names the list and its order. A cursor is valid only for the same list and order. */
export function encodeCursor(list: string, { key, id }: Position): string {
  return Buffer.from(JSON.stringify([list, key, id])).toString('base64url');
}

/** Returns undefined for the first page. `isValidKey` validates the sort key, which reaches the database unchanged. */
export function decodeCursor(
  list: string,
  { cursor }: PageRequest,
  isValidKey: (key: string) => boolean,
): Position | undefined {
  if (cursor === undefined) return undefined;
  const [cursorList, key, id] = parseCursor(cursor);
  const isValid =
    cursorList === list && typeof key === 'string' && !key.includes('\0') && isValidKey(key);
  if (isValid && Number.isSafeInteger(id)) return { key, id: id as number };
  throw new AppError('invalid_request', {
    message: 'cursor does not belong to this list and order. Start again without it.',
  });
}

function parseCursor(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Removes the extra row, which the query reads to detect a next page. */
export function takePage<Row extends Position>(rows: Row[], limit: number, list: string) {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { kept, next_cursor: hasMore ? encodeCursor(list, last) : null };
}

/** `counted` comes from a query limited to `TOTAL_MAX` + 1 rows. */
export function toTotal(counted: number): Total {
  return { count: Math.min(counted, TOTAL_MAX), is_exact: counted <= TOTAL_MAX };
}
