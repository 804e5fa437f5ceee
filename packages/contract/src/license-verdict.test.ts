import { describe, expect, it } from 'vitest';
import vectors from '../vectors/license-verdicts.json' with { type: 'json' };
import { evaluateLicense, type StoredLicenseStatus } from './index.ts';

describe('evaluateLicense', () => {
  for (const c of vectors.cases) {
    const name = `${c.stored_status}, expires ${c.expires_at ?? 'never'}, ${c.active_sites} sites`;
    it(`${name}: ${c.status}`, () => {
      const facts = {
        storedStatus: c.stored_status as StoredLicenseStatus,
        expiresAt: c.expires_at === null ? null : new Date(c.expires_at),
        activeSites: c.active_sites,
      };
      expect(evaluateLicense(facts, new Date(c.now))).toEqual({
        status: c.status,
        valid: c.valid,
        code: c.code,
      });
    });
  }
});
