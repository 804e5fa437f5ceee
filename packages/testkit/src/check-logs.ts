import { afterAll, expect } from 'vitest';
import { clearTestLog, secretsInLog } from './logs.ts';

/** A setup file of every tier. Hooks run in reverse order, so this one sees all that was logged. */
afterAll(() => {
  const leaked = secretsInLog();
  clearTestLog();
  expect(leaked, 'secrets in the log of this file').toEqual([]);
});
