import { afterEach, describe, expect, it } from 'vitest';
import { clearTestLog, noteSecret, secretsInLog, testLogger } from './logs.ts';

const KEY = 'STWD-0123456-789ABCD-EFGHJKM-NPQRSTV';

describe('secretsInLog', () => {
  // These tests log secrets on purpose; without clearing, check-logs.ts would fail this file.
  afterEach(clearTestLog);

  it('finds a logged secret in any case and with other separators', () => {
    noteSecret('a password that was chosen');
    noteSecret(`${KEY.slice(0, -1)}W`);
    const log = testLogger();
    log.trace({ note: 'A-PASSWORD-THAT-WAS-CHOSEN' }, 'as an attribute');
    expect(secretsInLog()).toEqual(['a password that was chosen']);
  });

  it('finds a secret that is registered after it was logged', () => {
    testLogger().info('welcome, swordfish and co');
    expect(secretsInLog()).toEqual([]);
    noteSecret('swordfish and co');
    expect(secretsInLog()).toEqual(['swordfish and co']);
  });

  it('ignores a key that the logger masked', () => {
    noteSecret(KEY);
    testLogger().info({ license_key: KEY }, `the key ${KEY}`);
    expect(secretsInLog()).toEqual([]);
  });
});
