import { accountMessages } from '../../messages/account.ts';

/**
 * The order matters: the user agents of Edge and Opera also contain `Chrome/`, and all contain `Safari/`, except Firefox on
 * other systems than iOS. Browsers on phones have their own tokens.
 */
const BROWSERS: [token: string, name: string][] = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['EdgiOS/', 'Edge'],
  ['OPR/', 'Opera'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: [token: string, name: string][] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
];

const messages = accountMessages.client;

/** "Firefox on Windows", or only "Firefox" if the system is unknown. */
export function browserName(userAgent: string | null): string {
  const findName = (names: [string, string][]) =>
    names.find(([token]) => userAgent?.includes(token))?.[1];
  const browser = findName(BROWSERS);
  const system = findName(SYSTEMS);
  if (!browser) return userAgent ? messages.script : messages.unknown;
  return system ? messages.browserOn(browser, system) : browser;
}
