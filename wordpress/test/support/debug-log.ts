import { expect } from 'vitest';

/** WordPress 6.1 logs deprecations on the newest PHP; only those are allowed. */
const CORE_DEPRECATION = /PHP Deprecated: .* in \S+\/(wp-includes|wp-admin)\/\S+ on line \d+$/;
const COMPLAINT = /PHP (Warning|Notice|Deprecated|Fatal error|Parse error|Recoverable)/;

/** Returns the PHP warnings and errors in debug.log, except deprecations of WordPress core. */
export function findComplaints(debugLog: string): string[] {
  return debugLog
    .split('\n')
    .filter((line) => COMPLAINT.test(line) && !CORE_DEPRECATION.test(line));
}

export async function expectQuiet(site: { debugLog(): Promise<string> }): Promise<void> {
  expect(findComplaints(await site.debugLog())).toEqual([]);
}

/** Returns all lines of the log except deprecations of WordPress core. */
export async function readNonCoreLines(site: { debugLog(): Promise<string> }) {
  const lines = (await site.debugLog()).split('\n');
  return lines.filter((line) => line !== '' && !CORE_DEPRECATION.test(line));
}
