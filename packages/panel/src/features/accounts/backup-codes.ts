import { randomInt } from 'node:crypto';

/** Backup codes replace a lost second factor. Each works once. */

const CODE_COUNT = 10;
/** Leaves out letters and digits that look alike: users type these codes from paper. */
const SYMBOLS = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODE_LENGTH = 10;

/** Generates codes of about 49 random bits each, such as `k7m2p-x9qrs`. */
export function generateBackupCodes(): string[] {
  return Array.from({ length: CODE_COUNT }, () => {
    const symbols = Array.from({ length: CODE_LENGTH }, () => SYMBOLS[randomInt(SYMBOLS.length)]);
    return `${symbols.slice(0, 5).join('')}-${symbols.slice(5).join('')}`;
  });
}

/** Converts input to the form that is compared: lower case, without spaces and dashes. */
export function normalizeCode(text: string): string {
  return text.replace(/[\s-]/g, '').toLowerCase();
}

export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code);
