/**
 * `STWD-XXXXXXX-XXXXXXX-XXXXXXX-XXXXXXC`: 27 random symbols of Crockford's base32 (135 bits) and
 * his check symbol modulo 37, so that a typing error is rejected without a database query.
 */

const PREFIX = 'STWD';
/** The prefix of a site key. Users never type a site key, so it has one spelling. */
const SITE_PREFIX = 'STWS';
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_SYMBOLS = 27;
const GROUP_LENGTH = 7;
const LONGEST_INPUT = 100;
const TYPED = /^\s*[0-9A-Za-z -]+\s*$/;
const writtenForm = (prefix: string) =>
  new RegExp(`^${prefix}(?:-[${ALPHABET}]{${GROUP_LENGTH}}){4}$`);
const WRITTEN_FORM = writtenForm(PREFIX);
const SITE_KEY = writtenForm(SITE_PREFIX);
const NO_SYMBOL = -1;
const SYMBOL_VALUES = Array.from({ length: 128 }, (_, code) =>
  ALPHABET.indexOf(String.fromCharCode(code)),
);

/** Finds keys in other text, so that they can be redacted. */
export const LICENSE_KEY_IN_TEXT = /STW[DS][-\s]?(?:[0-9A-Z]{7}[-\s]?){3}[0-9A-Z]{7}/gi;

type RandomBytes = (count: number) => Uint8Array;

export const generateLicenseKey = (randomBytes: RandomBytes) => generateKey(PREFIX, randomBytes);
export const generateSiteKey = (randomBytes: RandomBytes) => generateKey(SITE_PREFIX, randomBytes);

export function isSiteKey(key: string): boolean {
  return SITE_KEY.test(key) && hasRightCheck(key);
}

function generateKey(prefix: string, randomBytes: RandomBytes): string {
  for (;;) {
    // A byte modulo 32 is unbiased, since 256 is a multiple of 32.
    const symbols = Array.from(randomBytes(RANDOM_SYMBOLS), (byte) => ALPHABET[byte & 31]).join('');
    const check = ALPHABET[checkValue(symbols)];
    // Crockford's last five check symbols are `*~$=U`. They are hard to read out on the phone, so draw again.
    if (check !== undefined) return formatKey(prefix, symbols + check);
  }
}

/** The key in its canonical form, or null when the input is not a license key. */
export function normalizeLicenseKey(input: string): string | null {
  if (WRITTEN_FORM.test(input)) return hasRightCheck(input) ? input : null;
  // The panel sends the key in a header, so only characters that a header allows are accepted.
  if (input.length > LONGEST_INPUT || !TYPED.test(input)) return null;
  const compact = input.toUpperCase().replace(/[\s-]/g, '');
  if (!compact.startsWith(PREFIX)) return null;
  const symbols = compact.slice(PREFIX.length).replaceAll('O', '0').replace(/[IL]/g, '1');
  const key = formatKey(PREFIX, symbols);
  return WRITTEN_FORM.test(key) && hasRightCheck(key) ? key : null;
}

function hasRightCheck(key: string): boolean {
  return checkValue(key.slice(PREFIX.length)) === SYMBOL_VALUES[key.charCodeAt(key.length - 1)];
}

/** Computed from the random symbols. Hyphens and later symbols are ignored. */
function checkValue(text: string): number {
  let remainder = 0;
  let seen = 0;
  for (let at = 0; at < text.length && seen < RANDOM_SYMBOLS; at++) {
    const value = SYMBOL_VALUES[text.charCodeAt(at)] ?? NO_SYMBOL;
    if (value === NO_SYMBOL) continue;
    remainder = (remainder * 32 + value) % 37;
    seen++;
  }
  return remainder;
}

function formatKey(prefix: string, symbols: string): string {
  let key = prefix;
  for (let at = 0; at < symbols.length; at += GROUP_LENGTH) {
    key += `-${symbols.slice(at, at + GROUP_LENGTH)}`;
  }
  return key;
}
