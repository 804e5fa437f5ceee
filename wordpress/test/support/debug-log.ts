import { expect } from 'vitest';

/** WordPress 6.1 itself is not quite ready for the newest PHP. That is all it may say. */
const OF_CORE = /PHP Deprecated: .* in \S+\/(wp-includes|wp-admin)\/\S+ on line \d+$/;
const COMPLAINT = /PHP (Warning|Notice|Deprecated|Fatal error|Parse error|Recoverable)/;

export function complaintsIn(debugLog: string): string[] {
  return debugLog.split('\n').filter((line) => COMPLAINT.test(line) && !OF_CORE.test(line));
}

export async function expectQuiet(site: { debugLog(): Promise<string> }): Promise<void> {
  expect(complaintsIn(await site.debugLog())).toEqual([]);
}

/** Whatever was logged, a complaint or not, without the faults of WordPress itself. */
export async function linesOfOthersThanCore(site: { debugLog(): Promise<string> }) {
  const lines = (await site.debugLog()).split('\n');
  return lines.filter((line) => line !== '' && !OF_CORE.test(line));
}
