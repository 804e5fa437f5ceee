import { createHmac, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import {
  createSecrets,
  generateAccessToken,
  generateActivationToken,
  generateLinkToken,
} from './secrets.ts';

const SECRET = 'a secret of at least thirty-two characters';

describe('createSecrets', () => {
  const secrets = createSecrets(SECRET);

  it('computes the same HMAC as Node', () => {
    const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'steward/lookup/v1', 32));
    const text = fc.string({ unit: 'grapheme', maxLength: 300 });
    fc.assert(
      fc.property(text, (value) => {
        expect(secrets.fingerprint(value)).toBe(
          createHmac('sha256', key).update(value).digest('hex'),
        );
      }),
    );
  });

  it('decrypts only with the same purpose and secret', () => {
    const encrypted = secrets.encrypt('STWD-…', 'license_key');
    expect(secrets.decrypt(encrypted, 'license_key')).toBe('STWD-…');
    expect(() => secrets.decrypt(encrypted, 'activation_token')).toThrow();
    expect(() => createSecrets(`${SECRET}!`).decrypt(encrypted, 'license_key')).toThrow();
  });

  it('detects every changed byte', () => {
    const encrypted = secrets.encrypt('STWD-…', 'license_key');
    for (let at = 0; at < encrypted.length; at++) {
      const changed = Buffer.from(encrypted);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => secrets.decrypt(changed, 'license_key')).toThrow();
    }
  });

  it('encrypts the same value differently each time', () => {
    expect(secrets.encrypt('x', 'license_key')).not.toEqual(secrets.encrypt('x', 'license_key'));
  });
});

describe('the secret', () => {
  it.each([
    ['access token', generateAccessToken],
    ['activation token', generateActivationToken],
    ['one-time link', generateLinkToken],
  ])('of each %s has 256 random bits', (_, generate) => {
    const tokens = Array.from({ length: 64 }, () =>
      Buffer.from(/_([\w-]{43})$/.exec(generate())?.[1] ?? '', 'base64url'),
    );
    const changingBits = Array.from({ length: 256 }, (_, bit) => {
      const values = tokens.map((bytes) => ((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1);
      return new Set(values).size;
    });
    // A random bit has the same value in 64 tokens with a probability of 2^-63.
    expect(changingBits).toEqual(Array(256).fill(2));
  });
});

describe('the log', () => {
  const KEY = 'STWD-0123456-789ABCD-EFGHJKM-NPQRSTV';

  it('contains no key and no token, wherever a log call puts them', () => {
    const lines: string[] = [];
    const log = createLogger('trace', { write: (line) => lines.push(line) });
    const token = generateActivationToken();
    log.info({ license_key: KEY, body: { licenseKey: KEY, activation_token: token } }, 'fields');
    log.info({ req: { headers: { 'x-service-key': KEY, cookie: 'session=abc' } } }, 'headers');
    log.info(`text with ${KEY.toLowerCase()} and ${token} in it`);
    log.error({ err: new Error(`cause with ${KEY}`) }, 'error');
    const link = generateLinkToken();
    log.info({ body: { token: link, password: 'swordfish', new_password: 'swordfish' } }, link);
    const access = generateAccessToken();
    log.info({ url: `/panel/${access}`, headers: { authorization: `Bearer ${access}` } }, access);
    const written = lines.join('');
    expect(lines).toHaveLength(6);
    expect(written).not.toContain(access.slice(8));
    expect(written).not.toContain(link.slice(5));
    expect(written).not.toContain('swordfish');
    expect(written.toUpperCase()).not.toContain(KEY.slice(5));
    expect(written).not.toContain(token.slice(5));
    expect(written).not.toContain('session=abc');
  });
});
