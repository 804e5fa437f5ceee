/**
 * What a site may send at once, in an answer or in a report. Real ones hold kilobytes; a hostile one
 * must cost the panel no more than its bytes.
 */
export const BOUNDS = {
  bytes: 1024 * 1024,
  /** In all lists together. */
  items: 2000,
  /** In all objects together: twenty for each item. */
  fields: 40_000,
  depth: 8,
  /** Longer texts are cut, not refused. */
  textLength: 2000,
} as const;

export type BoundedJson =
  | { kind: 'json'; value: unknown }
  | { kind: 'not_json' }
  /** It was not parsed. */
  | { kind: 'too_large' };

/** Reads JSON that a site has sent, with its texts cut. The size is limited while it is received. */
export function parseBoundedJson(text: string): BoundedJson {
  // A web page is no JSON, however many brackets its scripts have.
  if (STARTS_NEST.test(text) && !isWithinBounds(text)) return { kind: 'too_large' };
  try {
    return { kind: 'json', value: cutTexts(JSON.parse(text)) };
  } catch {
    return { kind: 'not_json' };
  }
}

const STARTS_NEST = /^\s*[[{]/;
const [QUOTE, BACKSLASH, COMMA, COLON] = codesOf('"\\,:');
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = codesOf('[]{}');
const SPACE = 0x20;

/**
 * One pass over the text, before it becomes objects: a megabyte of `[[[` or `0,0,0` takes more
 * memory and time to parse than to count. Text that is no JSON may get either answer.
 */
export function isWithinBounds(text: string): boolean {
  const isList: boolean[] = [];
  let items = 0;
  let fields = 0;
  let last = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= SPACE) continue;
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === COLON) fields++;
    else if (code === COMMA && isList.at(-1)) items++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (isList.push(code === OPEN_LIST) > BOUNDS.depth) return false;
      // Its first item; the others come behind commas.
      if (code === OPEN_LIST) items++;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      isList.pop();
      if (code === CLOSE_LIST && last === OPEN_LIST) items--;
    }
    if (items > BOUNDS.items + 1 || fields > BOUNDS.fields) return false;
    last = code;
  }
  return items <= BOUNDS.items;
}

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) index++;
  }
  return text.length;
}

/** In place, within a value that is no deeper than the bounds. */
export function cutTexts<Value>(value: Value): Value {
  if (typeof value === 'string') return shortened(value, BOUNDS.textLength) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) holder[key] = cutTexts(holder[key]);
  return value;
}

export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

function codesOf(characters: string): number[] {
  return Array.from(characters, (character) => character.charCodeAt(0));
}
