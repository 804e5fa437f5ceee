import { EMAIL_PATTERN } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';

/** What somebody is called and signs in with: which forms are taken, and which one is stored. */

const EMAIL = new RegExp(EMAIL_PATTERN);
const NAME_MAX_LENGTH = 100;

/** For looking somebody up: whatever was typed, in the form that addresses are stored in. */
export function typedEmail(text: string): string {
  return text.trim().toLowerCase();
}

export function emailOf(text: string): string {
  const email = typedEmail(text);
  if (EMAIL.test(email)) return email;
  throw new AppError('invalid_request', {
    message: 'email must be an address such as name@example.com.',
  });
}

export function nameOf(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= NAME_MAX_LENGTH && !/\p{Cc}/u.test(name)) return name;
  throw new AppError('invalid_request', {
    message: `name needs 1 to ${NAME_MAX_LENGTH} characters and no line breaks.`,
  });
}

/** What to call somebody who gave no name. */
export function nameFromEmail(email: string): string {
  return email.split('@', 1)[0] ?? email;
}

export function noSuchUser(id: number): AppError {
  return new AppError('not_found', { message: `There is no user ${id}.` });
}
