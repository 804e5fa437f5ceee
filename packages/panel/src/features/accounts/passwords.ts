import { randomInt } from 'node:crypto';

/** Password hashing in better-auth's format. */
export type PasswordHashing = {
  hash(password: string): Promise<string>;
  verify(input: { hash: string; password: string }): Promise<boolean>;
};

/** Loaded at first use, because most commands never check a password. */
const loadCrypto = () => import('better-auth/crypto');

export const passwordHashing: PasswordHashing = {
  hash: async (password) => (await loadCrypto()).hashPassword(password),
  verify: async (input) => (await loadCrypto()).verifyPassword(input),
};

/** Leaves out letters and digits that look alike: users may have to type the password. */
const SYMBOLS = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 5;
const GROUP_LENGTH = 5;

/** Generates a password of about 120 random bits, in groups that are easy to read. */
export function generatePassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => SYMBOLS[randomInt(SYMBOLS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}
