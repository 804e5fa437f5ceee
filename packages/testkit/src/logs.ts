import { createLogger, type Logger } from '@steward/panel/logger';

/**
 * The log of all panels of one test file at the most verbose level, and the secrets issued in that file.
 * `check-logs.ts` fails the file if the log contains one of the secrets.
 */
let log: string[] = [];
const secrets = new Set<string>();

export function testLogger(): Logger {
  return createLogger('trace', { write: writeTestLog });
}

export function writeTestLog(text: string): void {
  log.push(text);
}

export const testLog = (): string => log.join('');

/** Registers a key, a token or a password that must not appear in a log. */
export function registerSecret(secret: string): void {
  secrets.add(secret);
}

export const registeredSecrets = (): string[] => [...secrets];

/** Returns the registered secrets that the log contains, ignoring upper/lower case and separators. */
export function findSecretsInLog(): string[] {
  const text = withoutSeparators(testLog());
  // Compare without the first four characters, to find also a key that was logged without its prefix.
  return [...secrets].filter((secret) =>
    text.includes(withoutSeparators(secret).slice('STWD'.length)),
  );
}

export function clearTestLog(): void {
  log = [];
  secrets.clear();
}

const withoutSeparators = (text: string) => text.toUpperCase().replace(/[\s_-]/g, '');
