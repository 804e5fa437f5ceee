/**
 * Limits for one response or report of a site. A normal one has a few kilobytes. A hostile one must not
 * cost the panel more memory or time than a normal one of the same size.
 */
export const BOUNDS = {
  bytes: 1024 * 1024,
  /** Items of all lists together. */
  items: 2000,
  /** Fields of all objects together: twenty per item. */
  fields: 40_000,
  depth: 8,
  /** Longer texts are truncated, not rejected. */
  textLength: 2000,
} as const;

export type BoundedJson =
  | { kind: 'json'; value: unknown }
  | { kind: 'not_json' }
  /** The text exceeds the limits and was not parsed. */
  | { kind: 'too_large' };

/** Parses JSON from a site and truncates its texts. The receiver limits the size in bytes. */
export function parseBoundedJson(text: string): BoundedJson {
  // A web page is not JSON, even if its scripts contain more brackets than the limit.
  if (STARTS_CONTAINER.test(text) && !isWithinBounds(text)) return { kind: 'too_large' };
  try {
    return { kind: 'json', value: truncateTexts(JSON.parse(text)) };
  } catch {
    return { kind: 'not_json' };
  }
}

const STARTS_CONTAINER = /^\s*[[{]/;
const [QUOTE, BACKSLASH, COMMA, COLON] = codesOf('"\\,:');
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = codesOf('[]{}');
const SPACE = 0x20;

/**
 * Counts before parsing, because a megabyte of `[[[` or `0,0,0` takes far more memory and time to parse. For
 * text that is not JSON, the result has no meaning.
 */
export function isWithinBounds(text: string): boolean {
  if (isFlatObject(text) && text.length <= BOUNDS.fields) return true;
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
      // The first item; commas count the others.
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

/** Most check-ins are flat objects: they have no lists, and a short one cannot have too many fields. */
function isFlatObject(text: string): boolean {
  return text.indexOf('{', 1) === -1 && !text.includes('[');
}

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) index++;
  }
  return text.length;
}

/** Modifies the value in place. Its depth must be within the bounds. */
export function truncateTexts<Value>(value: Value): Value {
  if (typeof value === 'string') return truncate(value, BOUNDS.textLength) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const container = value as Record<string, unknown>;
  for (const key of Object.keys(container)) container[key] = truncateTexts(container[key]);
  return value;
}

export function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

function codesOf(characters: string): number[] {
  return Array.from(characters, (character) => character.charCodeAt(0));
}
