import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';

/** Refuses passwords that attackers try first. Every function that sets a password calls this. */
export async function assertAcceptablePassword(password: string, email: string): Promise<void> {
  if (password.length < PASSWORD_MIN_LENGTH || password.length > PASSWORD_MAX_LENGTH) {
    throw new AppError('invalid_request', {
      message: `The password must have ${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters.`,
    });
  }
  const message = await findWeakness(password.toLowerCase(), email.toLowerCase());
  if (message !== null) throw new AppError('weak_password', { message });
}

async function findWeakness(password: string, email: string): Promise<string | null> {
  if (password.trim() === '') return 'The password must not be only spaces.';
  if (/^(.)\1*$/su.test(password)) return 'The password must not be one repeated character.';
  const guesses = listVariants(password);
  const [localPart = ''] = email.split('@', 1);
  if (guesses.some((guess) => guess === email || guess === localPart)) {
    return 'The password must not be the e-mail address or the part before the @.';
  }
  const common = await loadCommonPasswords();
  if (guesses.some((guess) => common.has(guess))) {
    return 'This password is too common: attackers try it first. Use a few words in a row.';
  }
  return null;
}

/**
 * The password, its repeated part (`secretsecret`), and its core without the digits and symbols around it
 * (`password1234`), if the core is at least half of the password.
 */
function listVariants(password: string): string[] {
  const repeated = /^(.+?)\1+$/su.exec(password)?.[1] ?? password;
  const letters = password.replace(/^\P{L}+|\P{L}+$/gu, '');
  return [password, repeated, ...(letters.length * 2 >= password.length ? [letters] : [])];
}

let loaded: Promise<Set<string>> | undefined;

/** About 49,000 from a public list. Loaded when the first password is set, because most processes never need it. */
function loadCommonPasswords(): Promise<Set<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return loaded;
}
