import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, type Logger } from '../../src/lib/logger.ts';

/** Everything the panel logs during a test run, at the most talkative level. A test greps it. */
export const LOG_DIR = join(import.meta.dirname, '../../../../node_modules/.steward-test-logs');

export function testLogger(): Logger {
  return createLogger('trace', { write: writeTestLog });
}

export function writeTestLog(text: string): void {
  mkdirSync(LOG_DIR, { recursive: true });
  appendFileSync(join(LOG_DIR, `${process.pid}.log`), text);
}
