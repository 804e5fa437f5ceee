import { createLogger, type Logger } from '@steward/panel/platform/logger.ts';

/**
 * Everything the panels of one test file log, at the most verbose level, and the secrets that were
 * handed out meanwhile. `check-logs.ts` compares the two when the file ends.
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

/** A key, a token or a password that must not appear in a log. */
export function noteSecret(secret: string): void {
  secrets.add(secret);
}

export const notedSecrets = (): string[] => [...secrets];

/** The noted secrets that the log contains, in any case and with or without separators. */
export function secretsInLog(): string[] {
  const text = withoutSeparators(testLog());
  // The prefix of a key may stay: a masked key keeps it.
  return [...secrets].filter((secret) =>
    text.includes(withoutSeparators(secret).slice('STWD'.length)),
  );
}

export function clearTestLog(): void {
  log = [];
  secrets.clear();
}

const withoutSeparators = (text: string) => text.toUpperCase().replace(/[\s_-]/g, '');
