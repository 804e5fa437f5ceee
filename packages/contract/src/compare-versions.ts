/**
 * Compares two versions exactly as PHP's `version_compare`, which WordPress uses: negative if `a` is older, 0 if they
 * are equal, positive if `a` is newer. Shared test vectors: `vectors/versions.json`.
 */
export function compareVersions(a: string, b: string): -1 | 0 | 1 {
  return compareBytes(toBytes(a), toBytes(b));
}

/** PHP compares bytes: a letter outside ASCII is several separators there. PHP reads a version up to a NUL. */
function toBytes(version: string): string {
  const bytes = new TextEncoder().encode(version.split('\0', 1)[0]);
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

/** Stands for any number: between a pre-release (rc) and a patch level (pl). */
const ANY_NUMBER = '#N#';

function compareBytes(a: string, b: string): -1 | 0 | 1 {
  if (a === '' || b === '') return sign(Number(a !== '') - Number(b !== ''));
  // Null: no part is left. As in PHP, the loop also ends at the empty part after a trailing dot. `compareRest` then makes
  // that version the older one: `1.0.` is older than `1.0`.
  let restA: string | null = canonicalize(a);
  let restB: string | null = canonicalize(b);
  while (restA && restB) {
    const [partA, nextA]: Part = takePart(restA);
    const [partB, nextB]: Part = takePart(restB);
    const order = compareParts(partA, partB);
    if (order !== 0) return order;
    [restA, restB] = [nextA, nextB];
  }
  if (restA !== null) return compareRest(restA, 1);
  if (restB !== null) return compareRest(restB, -1);
  return 0;
}

type Part = [part: string, rest: string | null];

function takePart(text: string): Part {
  const dot = text.indexOf('.');
  return dot < 0 ? [text, null] : [text.slice(0, dot), text.slice(dot + 1)];
}

/** One version is longer. A further number makes it newer; a further word is compared with a number. */
function compareRest(rest: string, direction: 1 | -1): -1 | 0 | 1 {
  if (isDigit(rest.charAt(0))) return direction;
  return sign(direction * compareBytes(rest, ANY_NUMBER));
}

/** Puts dots for separators, and between letters and digits: `1.0-rc2` becomes `1.0.rc.2`. */
function canonicalize(version: string): string {
  if (version.startsWith('#')) return version;
  let canonical = version.charAt(0);
  for (let at = 1; at < version.length; at++) {
    const [previous, current] = [version.charAt(at - 1), version.charAt(at)];
    const isBoundary =
      (isWord(previous) && isDigit(current)) || (isDigit(previous) && isWord(current));
    const separates = isSeparator(current) || isBoundary || !isAlphanumeric(current);
    if (separates && !canonical.endsWith('.')) canonical += '.';
    // At a boundary PHP keeps the character, even if it is neither a letter nor a digit.
    if (!isSeparator(current) && (isBoundary || isAlphanumeric(current))) canonical += current;
  }
  return canonical;
}

const isDigit = (character: string) => character >= '0' && character <= '9';
const isWord = (character: string) => !isDigit(character) && character !== '.';
const isSeparator = (character: string) => ['-', '_', '+'].includes(character);
const isAlphanumeric = (character: string) => /^[0-9A-Za-z]$/.test(character);

function compareParts(a: string, b: string): -1 | 0 | 1 {
  const [isNumberA, isNumberB] = [isDigit(a.charAt(0)), isDigit(b.charAt(0))];
  if (isNumberA && isNumberB) return compareNumbers(a, b);
  return sign(rankOf(isNumberA ? ANY_NUMBER : a) - rankOf(isNumberB ? ANY_NUMBER : b));
}

const NUMBER_MAX = 2n ** 63n - 1n;

/** PHP's largest integer caps a number. */
function compareNumbers(a: string, b: string): -1 | 0 | 1 {
  const [numberA, numberB] = [a, b].map((text) => {
    const value = BigInt(/^\d+/.exec(text)?.[0] ?? 0);
    return value > NUMBER_MAX ? NUMBER_MAX : value;
  }) as [bigint, bigint];
  return numberA < numberB ? -1 : numberA > numberB ? 1 : 0;
}

/** Words by their first letters, in the order of PHP: `alphabet` counts as alpha. Other words come before dev. */
const WORDS = [
  ['dev', 0],
  ['alpha', 1],
  ['a', 1],
  ['beta', 2],
  ['b', 2],
  ['RC', 3],
  ['rc', 3],
  ['#', 4],
  ['pl', 5],
  ['p', 5],
] as const;

function rankOf(word: string): number {
  return WORDS.find(([name]) => word.startsWith(name))?.[1] ?? -1;
}

function sign(value: number): -1 | 0 | 1 {
  return value < 0 ? -1 : value > 0 ? 1 : 0;
}
