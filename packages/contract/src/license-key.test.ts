import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import vectors from '../vectors/license-keys.json' with { type: 'json' };
import {
  generateEnrolmentCode,
  generateLicenseKey,
  isSiteKey,
  KEY_IN_TEXT,
  normalizeEnrolmentCode,
  normalizeLicenseKey,
} from './index.ts';

type KeyCase = { input: string; normalized?: string; refused?: string };

describe('normalizeLicenseKey', () => {
  for (const { input, normalized, refused } of vectors.cases as KeyCase[]) {
    const shown = JSON.stringify(input.slice(0, 60));
    it(refused === undefined ? `reads ${shown}` : `refuses ${shown}: ${refused}`, () => {
      expect(normalizeLicenseKey(input)).toBe(normalized ?? null);
    });
  }

  it('rejects every changed symbol and every swap of two adjacent symbols', () => {
    const key = generateLicenseKey(randomBytes);
    const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    for (let at = 'STWD-'.length; at < key.length; at++) {
      if (key[at] === '-') continue;
      for (const symbol of alphabet.replace(key[at] ?? '', '')) {
        expect(normalizeLicenseKey(key.slice(0, at) + symbol + key.slice(at + 1))).toBeNull();
      }
      const following = key[at + 1];
      if (following === undefined || following === '-' || following === key[at]) continue;
      const swapped = key.slice(0, at) + following + key[at] + key.slice(at + 2);
      expect(normalizeLicenseKey(swapped)).toBeNull();
    }
  });
});

describe('generateLicenseKey', () => {
  it('generates unique, valid keys in the canonical form', () => {
    const keys = Array.from({ length: 500 }, () => generateLicenseKey(randomBytes));
    expect(new Set(keys).size).toBe(500);
    for (const key of keys) expect(normalizeLicenseKey(key)).toBe(key);
  });

  it('draws at least 128 random bits', () => {
    const drawn: number[] = [];
    generateLicenseKey((count) => {
      drawn.push(count);
      return randomBytes(count);
    });
    expect((drawn[0] ?? 0) * 5).toBeGreaterThanOrEqual(128);
  });

  it('generates keys that KEY_IN_TEXT finds in other text', () => {
    const key = generateLicenseKey(randomBytes);
    expect(`a ${key.toLowerCase()} b`.replace(KEY_IN_TEXT, '*')).toBe('a * b');
  });
});

describe('normalizeEnrolmentCode', () => {
  const code = generateEnrolmentCode(randomBytes);

  it('reads a code in any spelling', () => {
    expect(code).toMatch(/^STWE(-[0-9A-Z]{7}){4}$/);
    expect(normalizeEnrolmentCode(` ${code.toLowerCase().replaceAll('-', ' ')} `)).toBe(code);
  });

  it('distinguishes codes from license keys and site keys', () => {
    expect([normalizeLicenseKey(code), isSiteKey(code)]).toEqual([null, false]);
    expect(normalizeEnrolmentCode(generateLicenseKey(randomBytes))).toBeNull();
  });

  it('rejects a typing error', () => {
    const last = code.endsWith('0') ? '1' : '0';
    expect(normalizeEnrolmentCode(code.slice(0, -1) + last)).toBeNull();
  });

  it('returns codes that KEY_IN_TEXT finds in other text', () => {
    expect(`a ${code} b`.replace(KEY_IN_TEXT, '*')).toBe('a * b');
  });
});
