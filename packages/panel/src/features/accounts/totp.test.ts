import { createOTP } from '@better-auth/utils/otp';
import { describe, expect, it } from 'vitest';
import { buildTotpSetup, generateTotpSecret, matchTotp } from './totp.ts';

/** The secret and the codes of RFC 6238, appendix B, cut to six digits. */
const SECRET = '12345678901234567890';
const at = (seconds: number) => new Date(seconds * 1000);

describe('matchTotp', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ])('accepts the code of RFC 6238 at %i', async (seconds, code) => {
    const match = await matchTotp(SECRET, code, { now: at(seconds), lastPeriod: null });
    expect(match).toBe(Math.floor(seconds / 30));
  });

  it('accepts a clock that is one period off, but not two', async () => {
    const code = await createOTP(SECRET).hotp(100);
    for (const [period, match] of [
      [98, null],
      [99, 100],
      [100, 100],
      [101, 100],
      [102, null],
    ] as const) {
      expect(await matchTotp(SECRET, code, { now: at(period * 30), lastPeriod: null })).toBe(match);
    }
  });

  it('refuses a used code and any older code', async () => {
    const now = at(100 * 30);
    const [older, code] = [await createOTP(SECRET).hotp(99), await createOTP(SECRET).hotp(100)];
    expect(await matchTotp(SECRET, code, { now, lastPeriod: 100 })).toBeNull();
    expect(await matchTotp(SECRET, older, { now, lastPeriod: 100 })).toBeNull();
    expect(await matchTotp(SECRET, code, { now, lastPeriod: 99 })).toBe(100);
  });
});

describe('buildTotpSetup', () => {
  it('returns the URI for the app and the secret for typing', () => {
    const { uri, secret } = buildTotpSetup(SECRET, 'olive@example.com');
    expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
    expect(uri).toContain('otpauth://totp/Steward:olive%40example.com?');
    expect(uri).toContain(`secret=${secret}`);
  });

  it('uses a new secret each time', () => {
    expect(generateTotpSecret()).not.toBe(generateTotpSecret());
  });
});
