import { randomInt } from 'node:crypto';

/** How passwords are stored; the form is better-auth's. */
export type PasswordHashing = {
  hash(password: string): Promise<string>;
  verify(stored: { hash: string; password: string }): Promise<boolean>;
};

/** Loaded when a password is looked at, which most commands never do. */
const crypto = () => import('better-auth/crypto');

export const slowHashing: PasswordHashing = {
  hash: async (password) => (await crypto()).hashPassword(password),
  verify: async (stored) => (await crypto()).verifyPassword(stored),
};

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
