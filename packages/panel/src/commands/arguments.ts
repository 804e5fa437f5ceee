import { OLD_KEY_DAYS_MAX, ROLES, type Role, SITE_LIMIT_MAX } from '@steward/contract';
import { InvalidArgumentError } from 'commander';
import { parseMoment } from '../platform/moment.ts';

const COUNT_MAX = 1000;

export const parseId = (text: string) => parseNumberOf('license', text);
export const parseSiteId = (text: string) => parseNumberOf('site', text);

function parseNumberOf(thing: string, text: string): number {
  const id = parseWholeNumber(text);
  if (id !== null && id >= 1) return id;
  throw new InvalidArgumentError(`It must be the number of a ${thing}, as the list shows it.`);
}

export function parseRole(text: string): Role {
  const role = ROLES.find((each) => each === text);
  if (role) return role;
  throw new InvalidArgumentError(`It must be one of ${ROLES.join(', ')}.`);
}

/** What a limit or an end is called that there is none of: the parser turns null into ''. */
export type NoLimit = 'unlimited';
export type NoEnd = 'never';

export const limitOf = (value: number | NoLimit) => (value === 'unlimited' ? null : value);
export const endOf = (value: Date | NoEnd) => (value === 'never' ? null : value);

export function parseSiteLimit(text: string): number | NoLimit {
  if (text === 'unlimited') return text;
  const limit = parseWholeNumber(text);
  if (limit !== null && limit >= 1 && limit <= SITE_LIMIT_MAX) return limit;
  throw new InvalidArgumentError(
    `It must be unlimited or a whole number from 1 to ${SITE_LIMIT_MAX}.`,
  );
}

export function parseCount(text: string): number {
  const count = parseWholeNumber(text);
  if (count !== null && count >= 1 && count <= COUNT_MAX) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${COUNT_MAX}.`);
}

export function parseOldKeyDays(text: string): number {
  const days = parseWholeNumber(text);
  if (days !== null && days <= OLD_KEY_DAYS_MAX) return days;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${OLD_KEY_DAYS_MAX}.`);
}

/** A day (from its first moment, in UTC) or a moment with its offset; `never` for no end. */
export function parseExpiry(text: string): Date | NoEnd {
  return text === 'never' ? text : parseTime(text, 'It must be never, a day');
}

/** A day (from its first moment, in UTC) or a moment with its offset. */
export function parseTime(text: string, wanted = 'It must be a day'): Date {
  const moment = parseMoment(text);
  if (moment) return moment;
  throw new InvalidArgumentError(`${wanted} (2027-01-31) or a moment (2027-01-31T12:00:00Z).`);
}

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
