/** In the order of asking: Edge and Opera also say that they are Chrome, and Chrome that it is Safari. */
const BROWSERS: [mark: string, name: string][] = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: [mark: string, name: string][] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
];

/** "Firefox on Windows", as far as a user agent tells. */
export function browserName(userAgent: string | null): string {
  const nameIn = (names: [string, string][]) =>
    names.find(([mark]) => userAgent?.includes(mark))?.[1];
  const browser = nameIn(BROWSERS);
  const system = nameIn(SYSTEMS);
  if (!browser) return userAgent ? 'Another program' : 'Unknown browser';
  return system ? `${browser} on ${system}` : browser;
}
