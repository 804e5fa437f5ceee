/** The fields of a header comment in the main file of a plugin, or in `style.css` of a theme. */
export type Headers = {
  name: string;
  version: string;
  requires: string | null;
  requiresPhp: string | null;
};

/** WordPress reads headers from this part of a file only. */
export const HEADER_BYTES = 8192;
const NAME_MAX_LENGTH = 200;
const VERSION_MAX_LENGTH = 64;

/** Returns null if `nameField` is missing. A missing version is empty. */
export function readHeaders(text: string, nameField: 'Plugin Name' | 'Theme Name'): Headers | null {
  const name = readField(text, nameField).slice(0, NAME_MAX_LENGTH);
  if (name === '') return null;
  const readVersion = (field: string) => readField(text, field).slice(0, VERSION_MAX_LENGTH);
  return {
    name,
    version: readVersion('Version'),
    requires: readVersion('Requires at least') || null,
    requiresPhp: readVersion('Requires PHP') || null,
  };
}

/** Finds fields as WordPress does. */
function readField(text: string, field: string): string {
  const pattern = new RegExp(`^(?:[ \\t]*<\\?php)?[ \\t/*#@]*${field}:(.*)$`, 'im');
  const value = pattern.exec(text.replaceAll('\r', '\n'))?.[1] ?? '';
  return (
    value
      .replace(/\s*(?:\*\/|\?>).*/, '')
      // Control characters, and characters that change the direction of the text around them.
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim()
  );
}
