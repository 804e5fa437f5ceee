import { afterAll, expect } from 'vitest';
import { clearTestLog, findSecretsInLog } from './logs.ts';

// Clear the log of the previous file, in case its hooks failed.
clearTestLog();

/** Setup file for tiers with panels. Hooks run in reverse order, so this hook sees all logs. */
afterAll(() => {
  const leaked = findSecretsInLog();
  clearTestLog();
  expect(leaked, 'secrets in the log of this file').toEqual([]);
});
