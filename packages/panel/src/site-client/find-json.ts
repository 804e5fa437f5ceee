import { type BoundedJson, parseBoundedJson } from '../platform/bounded-json.ts';

/** `hasOtherOutput`: the site printed something else around the JSON, such as a PHP warning or a byte order mark. */
export type FoundJson = BoundedJson & { hasOtherOutput?: true };

/** Each response of a site starts with this field. */
const START = /\{\s*"success"\s*:\s*(?:true|false)\b/;
/** Only JSON between these is the response of the site. In a page, it may belong to a script. */
const PAGE = /<!doctype|<\/?(?:html|head|body|script)\b/i;

/**
 * Parses the response of a site. PHP prints warnings and byte order marks before the JSON if it has started to send the
 * response before the plugin can discard them. The JSON is found only if there is exactly one, and no page around it.
 */
export function findJson(text: string): FoundJson {
  const whole = parseBoundedJson(text);
  if (whole.kind !== 'not_json') return whole;
  const start = text.search(START);
  if (start === -1) return whole;
  const end = endOfObject(text, start);
  if (end === null) return whole;
  const [before, after] = [text.slice(0, start), text.slice(end)];
  const isAmbiguous = after.search(START) !== -1 || PAGE.test(before) || PAGE.test(after);
  if (isAmbiguous) return whole;
  const found = parseBoundedJson(text.slice(start, end));
  return found.kind === 'not_json' ? whole : { ...found, hasOtherOutput: true };
}

/** Returns the index after the object that starts here; null if it does not end. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (isInString) {
      if (character === '\\') index++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return index + 1;
  }
  return null;
}
