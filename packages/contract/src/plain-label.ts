/** Control characters, line separators, and characters that change the direction of writing. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Trims a name that users give. Returns null for a name with characters that could hide or reorder the text beside it, such as the
 * address of a site.
 */
export function parseLabel(text: string): string | null {
  const label = text.trim();
  return UNSAFE.test(label) ? null : label;
}
