import { describe, expect, it } from 'vitest';
import { splitByDay } from './decide-ping.ts';
import { createOwnNetwork } from './own-network.ts';

describe('createOwnNetwork', () => {
  function stateAfter(...results: boolean[]) {
    let now = 0;
    const network = createOwnNetwork(() => now++);
    for (const isReached of results) network.record({ isReached });
    return network.stateSince(1);
  }
  const times = (count: number, isReached: boolean) =>
    Array.from({ length: count }, () => isReached);

  it('ignores results before the given time', () => {
    expect(stateAfter(true)).toBe('unknown');
    expect(stateAfter(true, false, false)).toBe('unknown');
  });

  it('works if another site responded', () => {
    expect(stateAfter(true, ...times(5, false), true)).toBe('works');
  });

  it('is suspect if fewer than one in ten of many sites respond', () => {
    expect(stateAfter(true, ...times(20, false))).toBe('suspect');
    expect(stateAfter(true, ...times(20, false), true)).toBe('suspect');
    expect(stateAfter(true, ...times(18, false), true, true)).toBe('works');
  });
});

describe('splitByDay', () => {
  it('splits a time range at midnight UTC', () => {
    const from = new Date('2026-06-01T23:59:00Z');
    expect(splitByDay({ from, to: new Date('2026-06-03T00:00:30Z') })).toEqual([
      { day: '2026-06-01', seconds: 60 },
      { day: '2026-06-02', seconds: 86_400 },
      { day: '2026-06-03', seconds: 30 },
    ]);
    expect(splitByDay({ from, to: from })).toEqual([]);
  });
});
