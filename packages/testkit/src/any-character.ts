import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST_CODE_POINT = 0x10ffff;

/**
 * Generates any Unicode character. Replaces fast-check's unit `binary`, which spends more than a second on
 * building a table of all characters.
 */
export const anyCharacter = fc.nat({ max: LAST_CODE_POINT - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== character) {
      throw new Error('Expected a single character.');
    }
    return point < SURROGATES.first ? point : point - SURROGATES.count;
  },
);
