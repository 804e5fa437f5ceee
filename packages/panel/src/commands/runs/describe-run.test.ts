import { describe, expect, it } from 'vitest';
import { describeProgress, describeTaskStatus, exitCodeOf } from './describe-run.ts';

describe('describeProgress', () => {
  it('counts a lost answer as finished as soon as its result stays unknown', () => {
    const run = { total: 6, counts: { queued: 1, succeeded: 3, unknown: 2 } };
    expect(describeProgress({ ...run, verifying: 2 })).toBe(
      '3 of 6 sites finished: 3 succeeded, 2 being verified',
    );
    expect(describeProgress({ ...run, verifying: 1 })).toBe(
      '4 of 6 sites finished: 3 succeeded, 1 unknown, 1 being verified',
    );
    expect(describeProgress(run)).toBe('5 of 6 sites finished: 3 succeeded, 2 unknown');
  });

  it('works without outcomes', () => {
    const run = { total: 1, counts: { running: 1 } };
    expect(describeProgress(run)).toBe('0 of 1 site finished');
  });
});

describe('describeTaskStatus', () => {
  it.each([
    ['unknown', null, 'verifying'],
    ['unknown', '2026-06-01T00:00:00Z', 'unknown'],
    ['partial', '2026-06-01T00:00:00Z', 'partly failed'],
    ['running', null, 'running'],
  ] as const)('%s, finished at %s: %s', (status, finished_at, word) => {
    expect(describeTaskStatus({ status, finished_at })).toBe(word);
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
