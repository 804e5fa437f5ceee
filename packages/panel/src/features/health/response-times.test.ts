import { describe, expect, it } from 'vitest';
import { addResponse, medianOf } from './response-times.ts';

const countAll = (times: number[]) => times.reduce<number[]>(addResponse, []);
/** The largest error of a median: an eighth. */
const isNear = (median: number | null, time: number) =>
  Math.abs((median ?? 0) - time) <= time / 8 + 1;

describe('the median of response times', () => {
  it.each([
    [[240], 240],
    [[100, 200, 9000], 200],
    [[80, 80, 80, 80, 30_000, 30_000], 80],
    [Array.from({ length: 288 }, (_, n) => 300 + n), 444],
  ])('of %j is about %i', (times, median) => {
    expect(isNear(medianOf(countAll(times)), median)).toBe(true);
  });

  it('is known only with a response', () => {
    expect(medianOf([])).toBeNull();
  });

  it('stays bounded with any time and any number of pings', () => {
    const counts = countAll([0, 0.2, 1e9, Number.MAX_VALUE]);
    expect([counts.length, counts[0], counts.at(-1)]).toEqual([37, 2, 2]);
    const full = addResponse(Array(37).fill(32_767), 100);
    expect(Math.max(...full)).toBe(32_767);
  });
});
