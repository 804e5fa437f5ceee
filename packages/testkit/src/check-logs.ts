import { afterAll, expect } from 'vitest';
import { clearTestLog, secretsInLog } from './logs.ts';

// Whatever a file before this one has left, should its hooks have failed.
clearTestLog();

/** A setup file of tiers with panels. Hooks run in reverse order, so this one sees all logs. */
afterAll(() => {
  const leaked = secretsInLog();
  clearTestLog();
  expect(leaked, 'secrets in the log of this file').toEqual([]);
});
