/** Short names have no end of their own. */
const WHOLE_MAX_LENGTH = 16;
const END_LENGTH = 12;
/** A display name with the address of the site after it. */
const WITH_ADDRESS = /\S \([^()]+\)$/;

/**
 * Splits a name into the start, which is cut off if there is no space, and the end, which stays. A display name comes before
 * the address and tells sites apart, so such a name has no end of its own.
 */
export function splitName(name: string): { start: string; end: string } {
  // By code points: half of a surrogate pair is no character.
  const characters = [...name];
  if (characters.length <= WHOLE_MAX_LENGTH || WITH_ADDRESS.test(name))
    return { start: name, end: '' };
  return {
    start: characters.slice(0, -END_LENGTH).join(''),
    end: characters.slice(-END_LENGTH).join(''),
  };
}
