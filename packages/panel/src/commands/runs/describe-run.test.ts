import { describe, expect, it } from 'vitest';
import { describeProgress, exitCodeOf } from './describe-run.ts';

describe('describeProgress', () => {
  it('counts a lost answer as finished only after the run has finished', () => {
    const run = { total: 5, counts: { queued: 1, succeeded: 3, unknown: 1 } };
    expect(describeProgress({ ...run, status: 'running' })).toBe(
      '3 of 5 sites finished: 3 succeeded, 1 being verified',
    );
    const finished = { total: 4, counts: { succeeded: 3, unknown: 1 } };
    expect(describeProgress({ ...finished, status: 'finished' })).toBe(
      '4 of 4 sites finished: 3 succeeded, 1 unknown',
    );
  });

  it('works without outcomes', () => {
    const run = { total: 1, counts: { running: 1 }, status: 'running' } as const;
    expect(describeProgress(run)).toBe('0 of 1 site finished');
  });
});

describe('exitCodeOf', () => {
  it.each([
    [{ succeeded: 2 }, 0],
    [{ succeeded: 1, unverified: 1 }, 2],
    [{ succeeded: 1, unknown: 1 }, 2],
    [{ unverified: 1, failed: 1 }, 1],
    [{ partial: 1 }, 1],
    [{ succeeded: 1, refused: 1 }, 1],
    [{ cancelled: 1 }, 1],
    [{}, 0],
  ])('%j: %i', (counts, code) => {
    expect(exitCodeOf({ counts })).toBe(code);
  });
});
