import { afterAll, expect } from 'vitest';
import { clearTestLog, findSecretsInLog } from './logs.ts';
import {
  clearUndocumentedResponses,
  listUndocumentedResponses,
} from './panel/undocumented-responses.ts';

// Clear what the previous file left, in case its hooks failed.
clearTestLog();
clearUndocumentedResponses();

/** Setup file for tiers with panels. Hooks run in reverse order, so this hook sees all logs and responses. */
afterAll(() => {
  const leaked = findSecretsInLog();
  clearTestLog();
  const undocumented = listUndocumentedResponses();
  clearUndocumentedResponses();
  expect(leaked, 'secrets in the log of this file').toEqual([]);
  expect(undocumented, 'responses that the API description does not contain').toEqual([]);
});
