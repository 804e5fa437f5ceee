import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from './index.ts';

describe('error codes', () => {
  for (const [code, { status, message }] of Object.entries(ERROR_CODES)) {
    it(`${code} has a status of an error and a sentence`, () => {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(message).toMatch(/^[A-Z].*\.$/);
    });
  }
});
