import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LICENSE_KEY_IN_TEXT } from '@steward/contract';
import { ACTIVATION_TOKEN_IN_TEXT } from '@steward/panel/lib/secrets.ts';
import { expect, it } from 'vitest';
import { LOG_DIR } from '../packages/panel/test/support/logs.ts';

/** Runs when all other tests are done, over everything the panels of those tests logged. */
it('finds no license key and no token in the logs of the whole run', () => {
  const text = readdirSync(LOG_DIR)
    .map((name) => readFileSync(join(LOG_DIR, name), 'utf8'))
    .join('\n');
  // Keys did travel through the panels while they logged at their most talkative.
  expect(text).toContain('/api/v1/license/activate');
  expect(text.match(LICENSE_KEY_IN_TEXT)).toBeNull();
  expect(text.match(ACTIVATION_TOKEN_IN_TEXT)).toBeNull();
});
