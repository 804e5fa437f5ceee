import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LOG_DIR, SECRETS_FILE } from '../packages/panel/test/support/logs.ts';

/** In any case, with or without separators. */
const bare = (text: string) => text.toUpperCase().replace(/[\s_-]/g, '');

/** Runs when all other tests are done, over everything the panels of those tests logged. */
it('finds no license key and no token in the logs of the whole run', () => {
  const logs = readdirSync(LOG_DIR)
    .filter((name) => name.endsWith('.log'))
    .map((name) => readFileSync(join(LOG_DIR, name), 'utf8'));
  // The panels logged at their most talkative while keys travelled through them.
  expect(logs.join('')).toContain('/api/v1/license/activate');
  const secrets = readFileSync(SECRETS_FILE, 'utf8').trim().split('\n');
  expect(secrets.length).toBeGreaterThan(100);

  const text = bare(logs.join(''));
  // Without its prefix, which a mask may leave.
  const found = secrets.filter((secret) => text.includes(bare(secret).slice('STWD'.length)));
  expect(found).toEqual([]);
});
