import { EMAIL_PATTERN } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';

/** Validates and normalises names and e-mail addresses of users. */

const EMAIL = new RegExp(EMAIL_PATTERN);
const NAME_MAX_LENGTH = 100;

/** Converts input to the stored form without validating it, for lookups. */
export function normalizeEmail(text: string): string {
  return text.trim().toLowerCase();
}

export function parseEmail(text: string): string {
  const email = normalizeEmail(text);
  if (EMAIL.test(email)) return email;
  throw new AppError('invalid_request', {
    message: 'email must be a valid address, for example name@example.com.',
  });
}

export function parseName(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= NAME_MAX_LENGTH && !/\p{Cc}/u.test(name)) return name;
  throw new AppError('invalid_request', {
    message: `name must have 1 to ${NAME_MAX_LENGTH} characters and no line breaks.`,
  });
}

/** The default name of a user. */
export function deriveNameFromEmail(email: string): string {
  return email.split('@', 1)[0] ?? email;
}

export function userNotFound(id: number): AppError {
  return new AppError('not_found', { message: `User ${id} does not exist.` });
}
