import { afterEach, describe, expect, it } from 'vitest';
import { clearTestLog, noteSecret, secretsInLog, testLogger } from './logs.ts';

const KEY = 'STWD-0123456-789ABCD-EFGHJKM-NPQRSTV';

describe('secretsInLog', () => {
  // What is written here on purpose must not fail this file.
  afterEach(clearTestLog);

  it('finds a secret that was logged, however it is spelled', () => {
    noteSecret('a password that was chosen');
    noteSecret(`${KEY.slice(0, -1)}W`);
    const log = testLogger();
    log.trace({ note: 'A-PASSWORD-THAT-WAS-CHOSEN' }, 'as an attribute');
    expect(secretsInLog()).toEqual(['a password that was chosen']);
  });

  it('finds a secret that is noted after it was logged', () => {
    testLogger().info('welcome, swordfish and co');
    expect(secretsInLog()).toEqual([]);
    noteSecret('swordfish and co');
    expect(secretsInLog()).toEqual(['swordfish and co']);
  });

  it('does not mind a key that the logger has masked', () => {
    noteSecret(KEY);
    testLogger().info({ license_key: KEY }, `the key ${KEY}`);
    expect(secretsInLog()).toEqual([]);
  });
});
