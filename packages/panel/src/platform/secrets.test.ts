import { createHmac, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { createSecrets, generateActivationToken, generateLinkToken } from './secrets.ts';

const SECRET = 'a secret of at least thirty-two characters';

describe('createSecrets', () => {
  const secrets = createSecrets(SECRET);

  it("makes the HMAC that Node's own function makes", () => {
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

  it('opens what it sealed, and only for the same purpose and secret', () => {
    const sealed = secrets.encrypt('STWD-…', 'license_key');
    expect(secrets.decrypt(sealed, 'license_key')).toBe('STWD-…');
    expect(() => secrets.decrypt(sealed, 'activation_token')).toThrow();
    expect(() => createSecrets(`${SECRET}!`).decrypt(sealed, 'license_key')).toThrow();
  });

  it('notices every changed byte', () => {
    const sealed = secrets.encrypt('STWD-…', 'license_key');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => secrets.decrypt(changed, 'license_key')).toThrow();
    }
  });

  it('never seals the same value the same way twice', () => {
    expect(secrets.encrypt('x', 'license_key')).not.toEqual(secrets.encrypt('x', 'license_key'));
  });
});

describe('the log', () => {
  const KEY = 'STWD-0123456-789ABCD-EFGHJKM-NPQRSTV';

  it('writes no key and no token, wherever a careless call puts them', () => {
    const lines: string[] = [];
    const log = createLogger('trace', { write: (line) => lines.push(line) });
    const token = generateActivationToken();
    log.info({ license_key: KEY, body: { licenseKey: KEY, activation_token: token } }, 'fields');
    log.info({ req: { headers: { 'x-service-key': KEY, cookie: 'session=abc' } } }, 'headers');
    log.info(`text with ${KEY.toLowerCase()} and ${token} in it`);
    log.error({ err: new Error(`cause with ${KEY}`) }, 'error');
    const link = generateLinkToken();
    log.info({ body: { token: link, password: 'swordfish', new_password: 'swordfish' } }, link);
    const written = lines.join('');
    expect(lines).toHaveLength(5);
    expect(written).not.toContain(link.slice(5));
    expect(written).not.toContain('swordfish');
    expect(written.toUpperCase()).not.toContain(KEY.slice(5));
    expect(written).not.toContain(token.slice(5));
    expect(written).not.toContain('session=abc');
  });
});
