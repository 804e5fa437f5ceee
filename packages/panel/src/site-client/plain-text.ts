import { BOUNDS, truncate } from '../platform/bounded-json.ts';
import { redactSecrets } from '../platform/logger.ts';

/** Longer text is cut off: even a large page contains its message in the first lines. */
const READ_LENGTH = BOUNDS.textLength;
/** The number of characters dropped before the cut: more than any partial key has. */
const CUT_MARGIN = 40;
const SENTENCE_MAX_LENGTH = 300;
const NAME_MAX_LENGTH = 500;

/** An unclosed element removes the rest of the text: many unclosed elements must not take quadratic time. */
const HIDDEN = /<(script|style)\b(?:.*?<\/\1\s*>|.*)|<!--(?:.*?-->|.*)/gis;
/** These tags occur within words; all other tags separate words. */
const INLINE_TAG = /<\/?(?:a|abbr|b|code|em|i|small|span|strong|u)\b[^<>]*>/gi;
const TAG = /<[^<>]*>/g;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
const NAMED_ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};
/** These characters can forge log lines or reverse the text direction, or PostgreSQL rejects them. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** Turns text from a site into one short line without markup and keys. */
export function plainText(input: string, serviceKey: string): string {
  const text = takeStart(input, serviceKey)
    .replace(HIDDEN, ' ')
    .replace(INLINE_TAG, '')
    .replace(TAG, ' ')
    .replace(ENTITY, decodeEntity)
    .replace(UNPRINTABLE, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  // Mask again: markup or entities may have hidden a key.
  return truncate(maskKeys(text, serviceKey), SENTENCE_MAX_LENGTH);
}

/** Removes the characters from a slug or version that are unsafe in logs, pages or the database. */
export function plainName(name: string, serviceKey: string): string {
  const start = takeStart(name, serviceKey).replace(UNPRINTABLE, '');
  return truncate(maskKeys(start, serviceKey), NAME_MAX_LENGTH);
}

/** Shortens a long text, then drops its last characters: they may be half a key. */
function takeStart(text: string, serviceKey: string): string {
  const start = maskKeys(text.slice(0, READ_LENGTH), serviceKey);
  return text.length < READ_LENGTH ? start : start.slice(0, -CUT_MARGIN);
}

/** Masks keys by pattern, and the key of this site by value: it may not match the pattern. */
function maskKeys(text: string, serviceKey: string): string {
  const masked = redactSecrets(text);
  return serviceKey === '' ? masked : masked.replaceAll(serviceKey, '[key]');
}

function decodeEntity(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED_ENTITIES[name.toLowerCase()] ?? entity;
  const codePoint = Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10);
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : entity;
}
