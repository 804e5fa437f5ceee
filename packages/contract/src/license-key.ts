/**
 * `STWD-XXXXXXX-XXXXXXX-XXXXXXX-XXXXXXC`: 27 random symbols of Crockford's base32 (135 bits) and
 * Crockford's check symbol modulo 37. The check symbol detects a typing error without a database query.
 */

const PREFIX = 'STWD';
/** The prefix of a site key. Users never type a site key, so it has one spelling. */
const SITE_PREFIX = 'STWS';
/** The prefix of an enrolment code, which connects one site. */
const ENROLMENT_PREFIX = 'STWE';
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_SYMBOLS = 27;
const GROUP_LENGTH = 7;
const INPUT_MAX_LENGTH = 100;
const ALLOWED_INPUT = /^\s*[0-9A-Za-z -]+\s*$/;
const canonicalPattern = (prefix: string) =>
  new RegExp(`^${prefix}(?:-[${ALPHABET}]{${GROUP_LENGTH}}){4}$`);
const LICENSE_KEY = canonicalPattern(PREFIX);
const ENROLMENT_CODE = canonicalPattern(ENROLMENT_PREFIX);
const SITE_KEY = canonicalPattern(SITE_PREFIX);
const NOT_A_SYMBOL = -1;
const SYMBOL_VALUES = Array.from({ length: 128 }, (_, code) =>
  ALPHABET.indexOf(String.fromCharCode(code)),
);

/** Finds license keys, site keys and enrolment codes in other text, so that they can be redacted. */
export const KEY_IN_TEXT = /STW[DES][-\s]?(?:[0-9A-Z]{7}[-\s]?){3}[0-9A-Z]{7}/gi;

type RandomBytes = (count: number) => Uint8Array;

export const generateLicenseKey = (randomBytes: RandomBytes) => generateKey(PREFIX, randomBytes);
export const generateSiteKey = (randomBytes: RandomBytes) => generateKey(SITE_PREFIX, randomBytes);
export const generateEnrolmentCode = (randomBytes: RandomBytes) =>
  generateKey(ENROLMENT_PREFIX, randomBytes);

export function isSiteKey(key: string): boolean {
  return SITE_KEY.test(key) && hasValidCheckSymbol(key);
}

function generateKey(prefix: string, randomBytes: RandomBytes): string {
  for (;;) {
    // A byte modulo 32 is unbiased, since 256 is a multiple of 32.
    const symbols = Array.from(randomBytes(RANDOM_SYMBOLS), (byte) => ALPHABET[byte & 31]).join('');
    const check = ALPHABET[checkValue(symbols)];
    // Crockford's last five check symbols are `*~$=U`. They are hard to read out on the phone, so draw new symbols.
    if (check !== undefined) return formatKey(prefix, symbols + check);
  }
}

/** Returns the key in its canonical form, or null if the input is not a license key. */
export const normalizeLicenseKey = (input: string) => normalizeKey(input, PREFIX, LICENSE_KEY);

/** Returns the code in its canonical form, or null if the input is not an enrolment code. */
export const normalizeEnrolmentCode = (input: string) =>
  normalizeKey(input, ENROLMENT_PREFIX, ENROLMENT_CODE);

function normalizeKey(input: string, prefix: string, pattern: RegExp): string | null {
  if (pattern.test(input)) return hasValidCheckSymbol(input) ? input : null;
  // Check the raw input: below, toUpperCase turns "ſ" into "S", for example, and `replace` removes all Unicode spaces.
  if (input.length > INPUT_MAX_LENGTH || !ALLOWED_INPUT.test(input)) return null;
  const compact = input.toUpperCase().replace(/[\s-]/g, '');
  if (!compact.startsWith(prefix)) return null;
  const symbols = compact.slice(prefix.length).replaceAll('O', '0').replace(/[IL]/g, '1');
  const key = formatKey(prefix, symbols);
  return pattern.test(key) && hasValidCheckSymbol(key) ? key : null;
}

function hasValidCheckSymbol(key: string): boolean {
  return checkValue(key.slice(PREFIX.length)) === SYMBOL_VALUES[key.charCodeAt(key.length - 1)];
}

/** Returns the value of the check symbol. Ignores hyphens and everything after the 27 random symbols. */
function checkValue(text: string): number {
  let remainder = 0;
  let symbolCount = 0;
  for (let index = 0; index < text.length && symbolCount < RANDOM_SYMBOLS; index++) {
    const value = SYMBOL_VALUES[text.charCodeAt(index)] ?? NOT_A_SYMBOL;
    if (value === NOT_A_SYMBOL) continue;
    remainder = (remainder * 32 + value) % 37;
    symbolCount++;
  }
  return remainder;
}

function formatKey(prefix: string, symbols: string): string {
  let key = prefix;
  for (let index = 0; index < symbols.length; index += GROUP_LENGTH) {
    key += `-${symbols.slice(index, index + GROUP_LENGTH)}`;
  }
  return key;
}
