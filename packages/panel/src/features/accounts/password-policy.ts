import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';

/** Refuses passwords that attackers try first. Every function that sets a password must call it. */
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
  const variants = listVariants(password);
  const [localPart = ''] = email.split('@', 1);
  if (variants.some((variant) => variant === email || variant === localPart)) {
    return 'The password must not be the e-mail address or the part before the @.';
  }
  const common = await loadCommonPasswords();
  if (variants.some((variant) => common.has(variant))) {
    return 'This password is too common: attackers try it first. Use a few words in a row.';
  }
  return null;
}

/**
 * Lists the password, its repeated part (`secretsecret`), and its core without the digits and symbols around it
 * (`password1234`). The core counts only if it is at least half of the password.
 */
function listVariants(password: string): string[] {
  const repeated = /^(.+?)\1+$/su.exec(password)?.[1] ?? password;
  const core = password.replace(/^\P{L}+|\P{L}+$/gu, '');
  return [password, repeated, ...(core.length * 2 >= password.length ? [core] : [])];
}

let commonPasswords: Promise<Set<string>> | undefined;

/** Loads a public list of about 49,000 passwords at first use, because most processes never need it. */
function loadCommonPasswords(): Promise<Set<string>> {
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return commonPasswords;
}
