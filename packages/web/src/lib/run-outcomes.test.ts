import { describe, expect, it } from 'vitest';
import { isRetriable } from './run-outcomes.ts';

describe('what a retry takes up again', () => {
  const ended = { finished_at: '2026-06-01T00:00:00Z', code: null };

  it.each(['failed', 'partial', 'unknown', 'cancelled'] as const)(
    'is a site that is %s',
    (status) => {
      expect(isRetriable({ ...ended, status })).toBe(true);
    },
  );

  it('is a site that was not active', () => {
    expect(isRetriable({ ...ended, status: 'refused', code: 'site_not_active' })).toBe(true);
  });

  it('is neither what is done, nor what was never there, nor what is being looked up', () => {
    expect(isRetriable({ ...ended, status: 'succeeded' })).toBe(false);
    expect(isRetriable({ ...ended, status: 'refused', code: 'site_not_found' })).toBe(false);
    expect(isRetriable({ status: 'unknown', finished_at: null, code: null })).toBe(false);
  });
});
