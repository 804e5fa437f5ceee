import { describe, expect, it } from 'vitest';
import { runOf, summaryOf, task } from '../../test/panel-fixtures.ts';
import { countOutcomes, isRetriable, runState, summarizeOutcomes } from './run-outcomes.ts';

describe('isRetriable', () => {
  const ended = { finished_at: '2026-06-01T00:00:00Z', code: null };

  it.each(['failed', 'partial', 'unknown', 'cancelled'] as const)(
    'is true for a task that is %s',
    (status) => {
      expect(isRetriable({ ...ended, status })).toBe(true);
    },
  );

  it('is true for a site that was not active', () => {
    expect(isRetriable({ ...ended, status: 'refused', code: 'site_not_active' })).toBe(true);
  });

  it('is false for tasks that succeeded, were not found or are being verified', () => {
    expect(isRetriable({ ...ended, status: 'succeeded' })).toBe(false);
    expect(isRetriable({ ...ended, status: 'refused', code: 'site_not_found' })).toBe(false);
    expect(isRetriable({ status: 'unknown', finished_at: null, code: null })).toBe(false);
  });
});

describe('the words for a state', () => {
  it('are the same for a task and for its run', () => {
    const partly = summaryOf(runOf([task({ status: 'partial' })]));
    const counts = countOutcomes(partly);
    expect(runState(partly, counts).word).toBe('Partly failed');
    expect(summarizeOutcomes(counts)).toBe('1 partly failed');
  });
});
