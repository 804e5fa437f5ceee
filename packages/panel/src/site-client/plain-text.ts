import { BOUNDS, shortened } from '../platform/bounded-json.ts';
import { withoutSecrets } from '../platform/logger.ts';

/** Only the beginning is looked at: a page of a megabyte has its point in its first lines. */
const READ_LENGTH = BOUNDS.textLength;
/** What is left of a key that the end of the reading cut in two is shorter than this. */
const KEY_LENGTH = 40;
const SENTENCE_LENGTH = 300;
const NAME_LENGTH = 500;

/** Without an end it hides all that follows. So each is looked for once, however many are opened. */
const NOT_SHOWN = /<(script|style)\b(?:.*?<\/\1\s*>|.*)|<!--(?:.*?-->|.*)/gis;
/** These stand inside a word or a sentence; all others end one. */
const INLINE_TAG = /<\/?(?:a|abbr|b|code|em|i|small|span|strong|u)\b[^<>]*>/gi;
const TAG = /<[^<>]*>/g;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};
/** They forge lines of a log, turn the direction of a text, or are refused by PostgreSQL. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** What a site said, as one short line without markup and without keys. */
export function plainText(said: string, serviceKey: string): string {
  const text = beginningOf(said, serviceKey)
    .replace(NOT_SHOWN, ' ')
    .replace(INLINE_TAG, '')
    .replace(TAG, ' ')
    .replace(ENTITY, decodeEntity)
    .replace(UNPRINTABLE, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  // Once more: markup or entities may have hidden one.
  return shortened(withoutKeys(text, serviceKey), SENTENCE_LENGTH);
}

/** A slug or a version, as it is but for what no log, page or database could take. */
export function plainName(name: string, serviceKey: string): string {
  const beginning = beginningOf(name, serviceKey).replace(UNPRINTABLE, '');
  return shortened(withoutKeys(beginning, serviceKey), NAME_LENGTH);
}

/** Without what may be half a key, where it was cut here or when it was received. */
function beginningOf(said: string, serviceKey: string): string {
  const beginning = withoutKeys(said.slice(0, READ_LENGTH), serviceKey);
  return said.length < READ_LENGTH ? beginning : beginning.slice(0, -KEY_LENGTH);
}

/** The pattern finds every key; this site's own may be written in a way that has no pattern. */
function withoutKeys(text: string, serviceKey: string): string {
  const masked = withoutSecrets(text);
  return serviceKey === '' ? masked : masked.replaceAll(serviceKey, '[license key]');
}

function decodeEntity(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? entity;
  const codePoint = Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10);
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : entity;
}
