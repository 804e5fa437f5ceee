import { describe, expect, it } from 'vitest';
import { ERROR_CODES, SITE_FAILURES } from './index.ts';

describe('ERROR_CODES', () => {
  for (const [code, { status, message }] of Object.entries(ERROR_CODES)) {
    it(`gives ${code} an error status and a sentence`, () => {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(message).toMatch(/^[A-Z].*\.$/);
    });
  }

  it('contains the message of every site failure', () => {
    for (const [code, { status, message }] of Object.entries(SITE_FAILURES)) {
      expect(ERROR_CODES).toHaveProperty(code, { status, message });
    }
  });
});
