import { accountMessages } from '../../messages/account.ts';

/** The order matters: the user agents of Edge and Opera contain Chrome, and that of Chrome contains Safari. */
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

const messages = accountMessages.client;

/** "Firefox on Windows", or less if the user agent is unknown. */
export function browserName(userAgent: string | null): string {
  const nameIn = (names: [string, string][]) =>
    names.find(([mark]) => userAgent?.includes(mark))?.[1];
  const browser = nameIn(BROWSERS);
  const system = nameIn(SYSTEMS);
  if (!browser) return userAgent ? messages.script : messages.unknown;
  return system ? messages.browserOn(browser, system) : browser;
}
