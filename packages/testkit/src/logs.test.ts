import { afterEach, describe, expect, it } from 'vitest';
import { clearTestLog, findSecretsInLog, registerSecret, testLogger } from './logs.ts';

const KEY = 'STWD-0123456-789ABCD-EFGHJKM-NPQRSTV';

describe('findSecretsInLog', () => {
  // These tests log secrets on purpose; without clearing, check-logs.ts would fail this file.
  afterEach(clearTestLog);

  it('finds a logged secret in any case and with other separators', () => {
    registerSecret('a password that was chosen');
    registerSecret(`${KEY.slice(0, -1)}W`);
    const log = testLogger();
    log.trace({ note: 'A-PASSWORD-THAT-WAS-CHOSEN' }, 'as an attribute');
    expect(findSecretsInLog()).toEqual(['a password that was chosen']);
  });

  it('finds a secret that is registered after it was logged', () => {
    testLogger().info('welcome, swordfish and co');
    expect(findSecretsInLog()).toEqual([]);
    registerSecret('swordfish and co');
    expect(findSecretsInLog()).toEqual(['swordfish and co']);
  });

  it('ignores a key that the logger masked', () => {
    registerSecret(KEY);
    testLogger().info({ license_key: KEY }, `the key ${KEY}`);
    expect(findSecretsInLog()).toEqual([]);
  });
});
