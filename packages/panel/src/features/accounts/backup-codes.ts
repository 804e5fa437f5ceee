import { randomInt } from 'node:crypto';

/** Codes on paper, for who has lost the second factor. Each works once. */

const COUNT = 10;
/** Without the letters and digits that look like others: they are typed from paper. */
const SYMBOLS = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 10;

/** Ten codes of some 49 random bits each, such as `k7m2p-x9qrs`. */
export function generateBackupCodes(): string[] {
  return Array.from({ length: COUNT }, () => {
    const symbols = Array.from({ length: LENGTH }, () => SYMBOLS[randomInt(SYMBOLS.length)]);
    return `${symbols.slice(0, 5).join('')}-${symbols.slice(5).join('')}`;
  });
}

/** What was typed, in the one form that is compared: without spaces and dashes, in lower case. */
export function typedCode(text: string): string {
  return text.replace(/[\s-]/g, '').toLowerCase();
}

export const isTotpCode = (typed: string): boolean => /^\d{6}$/.test(typed);
