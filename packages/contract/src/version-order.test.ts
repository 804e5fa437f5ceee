import { describe, expect, it } from 'vitest';
import { isNewerVersion } from './version-order.ts';

const IN_ORDER = [
  '0.9',
  '1.0-alpha',
  '1.0-beta2',
  '1.0-rc1',
  '1.0',
  '1.0.1',
  '1.9',
  '1.10',
  '2',
  '10.0',
];

describe('isNewerVersion', () => {
  for (const [at, older] of IN_ORDER.entries()) {
    for (const newer of IN_ORDER.slice(at + 1)) {
      it(`orders ${newer} after ${older}`, () => {
        expect(isNewerVersion(newer, older)).toBe(true);
        expect(isNewerVersion(older, newer)).toBe(false);
      });
    }
    it(`does not order ${older} after itself`, () =>
      expect(isNewerVersion(older, older)).toBe(false));
  }
});
