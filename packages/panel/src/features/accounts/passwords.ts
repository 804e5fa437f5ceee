import { randomInt } from 'node:crypto';

/** Loaded when a password is looked at, which most commands never do. */
const crypto = () => import('better-auth/crypto');

export async function hashPassword(password: string): Promise<string> {
  return (await crypto()).hashPassword(password);
}

export async function isPasswordOf(hash: string, password: string): Promise<boolean> {
  return (await crypto()).verifyPassword({ hash, password });
}

/** Without the letters and digits that look like others: somebody may have to type it. */
const SYMBOLS = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 5;
const GROUP_LENGTH = 5;

/** Some 120 random bits, in groups. */
export function generatePassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => SYMBOLS[randomInt(SYMBOLS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}
