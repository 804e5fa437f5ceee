import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, TOTAL_MAX, type Total } from '@steward/contract';
import { AppError } from './app-error.ts';

/**
 * Keyset pagination: every page costs the same, and rows added meanwhile do not shift others onto the
 * next page.
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

/** `list` names the list and its order: a cursor is valid only there. */
export function encodeCursor(list: string, { key, id }: Position): string {
  return Buffer.from(JSON.stringify([list, key, id])).toString('base64url');
}

/** Undefined for the first page. `isKey` validates the key, which reaches the database unchanged. */
export function decodeCursor(
  list: string,
  { cursor }: PageRequest,
  isKey: (key: string) => boolean,
): Position | undefined {
  if (cursor === undefined) return undefined;
  const [ofList, key, id] = parseCursor(cursor);
  const isValid = ofList === list && typeof key === 'string' && !key.includes('\0') && isKey(key);
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

/** Removes the extra row that was queried to detect a next page. */
export function takePage<Row extends Position>(rows: Row[], limit: number, list: string) {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { kept, next_cursor: hasMore ? encodeCursor(list, last) : null };
}

/** Takes a count that stops at `TOTAL_MAX` + 1. */
export function toTotal(counted: number): Total {
  return { count: Math.min(counted, TOTAL_MAX), is_exact: counted <= TOTAL_MAX };
}
