import {
  CORE_SLUG,
  ITEM_ERROR_MESSAGE_MAX_LENGTH,
  ITEM_ERROR_PLACE_MAX_LENGTH,
  ITEM_ERROR_VIA_MAX,
  ITEM_ERRORS_MAX,
  ItemErrorGroup,
} from '@steward/contract';
import { Compile } from 'typebox/compile';
import { truncate } from '../../platform/bounded-json.ts';
import { parseIsoTime } from '../../platform/parse-iso-time.ts';

/** A group of errors as the panel stores it: with bounded texts, and times by the clock of the panel. */
export type ReportedError = Omit<ItemErrorGroup, 'first_at' | 'last_at' | 'via'> & {
  via: { type: ItemErrorGroup['type']; slug: string }[];
  first_at: Date;
  last_at: Date;
};

export type ItemErrorReport = {
  errors: ReportedError[];
  /** The site or the panel had more groups than it keeps, or the panel could not read one. */
  hasDropped: boolean;
};

const group = Compile(ItemErrorGroup);
const MAX_AGE_MS = 90 * 24 * 60 * 60 * 1000;
const COUNT_MAX = 1_000_000_000;

/**
 * Reads a report. Drops each group that cannot be read, and keeps the others. The clock of a site can be wrong: `now` of the
 * report corrects its times. Returns null if the report is not an object: such a site reports no errors.
 */
export function parseItemErrors(body: unknown, receivedAt: Date): ItemErrorReport | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const { now, dropped, groups } = body as Record<string, unknown>;
  const list: unknown[] = Array.isArray(groups) ? groups : [];
  const siteTime = typeof now === 'string' ? parseIsoTime(now) : null;
  const skewMs = siteTime ? receivedAt.getTime() - siteTime.getTime() : 0;
  const toTime = (text: string): Date | null => {
    const time = parseIsoTime(text);
    if (!time) return null;
    const corrected = time.getTime() + skewMs;
    const oldest = receivedAt.getTime() - MAX_AGE_MS;
    return new Date(Math.min(Math.max(corrected, oldest), receivedAt.getTime()));
  };
  const errors = list
    .slice(0, ITEM_ERRORS_MAX)
    .flatMap((each) => (group.Check(each) ? (toError(each, toTime) ?? []) : []));
  const isDropped = dropped === true || (typeof dropped === 'number' && dropped > 0);
  return { errors, hasDropped: isDropped || errors.length < list.length };
}

function toError(
  reported: ItemErrorGroup,
  toTime: (text: string) => Date | null,
): ReportedError | null {
  const [first, last] = [toTime(reported.first_at), toTime(reported.last_at)];
  const slug = toSlug(reported);
  const version = toLine(reported.version, 64);
  const message =
    toLine(reported.message, ITEM_ERROR_MESSAGE_MAX_LENGTH) || 'Error without a message';
  if (!first || !last || slug === '') return null;
  const { type, request_kind, is_confirmed, via = [] } = reported;
  return {
    ...{ type, slug, version, message, request_kind, is_confirmed },
    place: toLine(reported.place, ITEM_ERROR_PLACE_MAX_LENGTH),
    via: via.slice(0, ITEM_ERROR_VIA_MAX).map((item) => ({ type: item.type, slug: toSlug(item) })),
    count: Math.min(reported.count, COUNT_MAX),
    first_at: first < last ? first : last,
    last_at: last,
  };
}

const toSlug = ({ type, slug }: Pick<ItemErrorGroup, 'type' | 'slug'>) =>
  type === 'core' ? CORE_SLUG : toLine(slug, 500);

/** Control characters could hide or reorder what a screen or a terminal shows. */
function toLine(text: string, maxLength: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .trim();
  return truncate(line, maxLength);
}
