import { randomInt } from 'node:crypto';

/** Backup codes replace a lost second factor. Each works once. */

const COUNT = 10;
/** Leaves out letters and digits that look alike: users type these codes from paper. */
const SYMBOLS = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 10;

/** Ten codes of about 49 random bits each, such as `k7m2p-x9qrs`. */
export function generateBackupCodes(): string[] {
  return Array.from({ length: COUNT }, () => {
    const symbols = Array.from({ length: LENGTH }, () => SYMBOLS[randomInt(SYMBOLS.length)]);
    return `${symbols.slice(0, 5).join('')}-${symbols.slice(5).join('')}`;
  });
}

/** Removes spaces and dashes and converts to lower case, for the comparison. */
export function normalizeCode(text: string): string {
  return text.replace(/[\s-]/g, '').toLowerCase();
}

export const isTotpCode = (typed: string): boolean => /^\d{6}$/.test(typed);
