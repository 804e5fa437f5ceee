import { NONCE_PATTERN } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../platform/secrets.ts';
import { createCallNonces } from './call-nonces.ts';

const noncesOf = (secret: string) => createCallNonces(createSecrets(secret).keyFor('call_nonces'));
const panel = noncesOf('a secret of at least thirty-two characters');
const call = {
  method: 'POST' as const,
  route: '/service/v1/remote/update',
  siteUrl: 'example.com',
  timestamp: 1767225600,
  bodySha256: 'ab'.repeat(32),
};

describe('a nonce of the panel', () => {
  it('matches the protocol and is unique', () => {
    const nonces = Array.from({ length: 100 }, () => panel.nonceFor(call));
    for (const nonce of nonces) expect(nonce).toMatch(new RegExp(NONCE_PATTERN));
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  it('is recognised by processes with the same secret only', () => {
    const nonce = panel.nonceFor(call);
    const otherProcess = noncesOf('a secret of at least thirty-two characters');
    expect(otherProcess.isOwnCall({ ...call, nonce })).toBe(true);
    const otherPanel = noncesOf('another secret of thirty-two characters');
    expect(otherPanel.isOwnCall({ ...call, nonce })).toBe(false);
  });

  it('is not recognised on any other call', () => {
    const nonce = panel.nonceFor(call);
    for (const change of [
      { route: '/service/v1/remote/plugin-action' },
      { siteUrl: 'example.org' },
      { timestamp: call.timestamp + 1 },
      { bodySha256: 'cd'.repeat(32) },
      { nonce: '0123456789abcdef'.repeat(2) },
    ]) {
      expect(panel.isOwnCall({ ...call, nonce, ...change })).toBe(false);
    }
  });
});
