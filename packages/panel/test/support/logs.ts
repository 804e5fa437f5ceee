import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, type Logger } from '../../src/lib/logger.ts';

/** Everything the panel logs during a test run, at the most talkative level. A test greps it. */
export const LOG_DIR = join(import.meta.dirname, '../../../../node_modules/.steward-test-logs');
/** The keys and tokens that were handed out in the run, to look for in the logs. */
export const SECRETS_FILE = join(LOG_DIR, 'handed-out.secrets');

export function testLogger(): Logger {
  return createLogger('trace', { write: writeTestLog });
}

export function writeTestLog(text: string): void {
  append(join(LOG_DIR, `${process.pid}.log`), text);
}

export function noteSecret(secret: string): void {
  append(SECRETS_FILE, `${secret}\n`);
}

function append(path: string, text: string): void {
  mkdirSync(LOG_DIR, { recursive: true });
  appendFileSync(path, text);
}
