import {
  ACCESS_TOKEN_DAYS_MAX,
  ENROLMENT_CODES_MAX,
  LICENSE_LABEL_MAX_LENGTH,
  OLD_KEY_DAYS_MAX,
  ROLES,
  type Role,
  SITE_LIMIT_MAX,
  SOAK_MINUTES_MAX,
  TOKEN_ACTIONS,
  type TokenAction,
} from '@steward/contract';
import { InvalidArgumentError } from 'commander';
import { parseExpiryTime, parseIsoTime } from '../platform/parse-iso-time.ts';

/** For `--count` and `--limit`. */
const COUNT_MAX = 1000;

export const parseLicenseId = (text: string) => parseEntityId('a license', text);
export const parseSiteId = (text: string) => parseEntityId('a site', text);
export const parseClientId = (text: string) => parseEntityId('a client', text);
export const parseRolloutId = (text: string) => parseEntityId('a rollout', text);
export const parseChannelId = (text: string) => parseEntityId('a notification channel', text);
export const parseTokenId = (text: string) => parseEntityId('an access token', text);
export const parseScheduleId = (text: string) => parseEntityId('a schedule', text);
export const parseRunId = (text: string) => parseEntityId('a run', text);

/** Parses `slug@version`. A slug may contain `@`, a version may not. */
export function parseSlugAndVersion(text: string): { slug: string; version: string } {
  const at = text.lastIndexOf('@');
  const [slug, version] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1).trim()];
  if (slug !== '' && version !== '' && slug.length <= 500 && version.length <= 64) {
    return { slug, version };
  }
  throw new InvalidArgumentError('It must be slug@version, such as shop/shop.php@2.0.');
}

export function parseSoakMinutes(text: string): number {
  const minutes = parseWholeNumber(text);
  if (minutes !== null && minutes <= SOAK_MINUTES_MAX) return minutes;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${SOAK_MINUTES_MAX}.`);
}

export function parsePercent(text: string): number {
  const percent = text.trim() === '' ? Number.NaN : Number(text);
  if (percent >= 0 && percent <= 100) return percent;
  throw new InvalidArgumentError('It must be a number from 0 to 100.');
}

function parseEntityId(entity: string, text: string): number {
  const id = parseWholeNumber(text);
  if (id !== null && id >= 1) return id;
  throw new InvalidArgumentError(`It must be the id of ${entity}.`);
}

export function parseTokenActions(text: string): TokenAction[] {
  const actions = parseList(text).map((name) => TOKEN_ACTIONS.find((action) => action === name));
  const known = actions.filter((action) => action !== undefined);
  if (known.length > 0 && known.length === actions.length) return known;
  throw new InvalidArgumentError(`It must be a list of ${TOKEN_ACTIONS.join(', ')}.`);
}

export function parseTokenDays(text: string): number {
  const days = parseWholeNumber(text);
  if (days !== null && days >= 1 && days <= ACCESS_TOKEN_DAYS_MAX) return days;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${ACCESS_TOKEN_DAYS_MAX}.`);
}

export function parseRole(text: string): Role {
  const role = ROLES.find((each) => each === text);
  if (role) return role;
  throw new InvalidArgumentError(`It must be one of ${ROLES.join(', ')}.`);
}

/** Values for "no limit" and "no expiry". Commander converts null to '', so a parser cannot return null. */
export type NoLimit = 'unlimited';
export type NoExpiry = 'never';

export const toSiteLimit = (value: number | NoLimit) => (value === 'unlimited' ? null : value);
export const toExpiry = (value: Date | NoExpiry) => (value === 'never' ? null : value);

export function parseSiteLimit(text: string): number | NoLimit {
  if (text === 'unlimited') return text;
  const limit = parseWholeNumber(text);
  if (limit !== null && limit >= 1 && limit <= SITE_LIMIT_MAX) return limit;
  throw new InvalidArgumentError(
    `It must be unlimited or a whole number from 1 to ${SITE_LIMIT_MAX}.`,
  );
}

/** Returns a parser of whole numbers from 1 to `max`. */
export const numberUpTo =
  (max: number) =>
  (text: string): number => {
    const number = parseWholeNumber(text);
    if (number !== null && number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };

export const parseCount = numberUpTo(COUNT_MAX);
export const parseCodeCount = numberUpTo(ENROLMENT_CODES_MAX);

/** The name or the customer of a license. */
export function parseLicenseLabel(text: string): string {
  const hasControlCharacters = /\p{Cc}/u.test(text);
  if (text.length <= LICENSE_LABEL_MAX_LENGTH && !hasControlCharacters) return text;
  throw new InvalidArgumentError(
    `It must be one line with at most ${LICENSE_LABEL_MAX_LENGTH} characters.`,
  );
}

export function parseOldKeyDays(text: string): number {
  const days = parseWholeNumber(text);
  if (days !== null && days <= OLD_KEY_DAYS_MAX) return days;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${OLD_KEY_DAYS_MAX}.`);
}

/** Accepts a date (the last valid day, in UTC), a date and time with offset, or `never`. */
export function parseExpiry(text: string): Date | NoExpiry {
  const expiry = text === 'never' ? text : parseExpiryTime(text);
  if (expiry) return expiry;
  throw new InvalidArgumentError(`It must be "never", a date ${TIME_EXAMPLES}`);
}

/** Accepts a date (00:00 UTC), or a date and time with offset. */
export function parseTime(text: string): Date {
  const time = parseIsoTime(text);
  if (time) return time;
  throw new InvalidArgumentError(`It must be a date ${TIME_EXAMPLES}`);
}

const TIME_EXAMPLES = '(2027-01-31) or a date and time (2027-01-31T12:00:00Z).';

export function parseList(text: string): string[] {
  return [
    ...new Set(
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    ),
  ];
}

function parseWholeNumber(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
