import { describe, expect, it } from 'vitest';
import { findAllowedTime } from './deletion-limit.ts';

const minute = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 12, minutes));
const deletion = (minutes: number, sites: number) => ({ at: minute(minutes), sites });

describe('the time at which further deletions are within the limit', () => {
  it('is now for up to ten in ten minutes', () => {
    expect(findAllowedTime([], 10)).toBeNull();
    expect(findAllowedTime([deletion(0, 4), deletion(3, 5)], 1)).toBeNull();
  });

  it('is when enough of the oldest are ten minutes old', () => {
    const recent = [deletion(0, 4), deletion(3, 2), deletion(5, 4)];
    expect(findAllowedTime(recent, 1)).toEqual(minute(10));
    expect(findAllowedTime(recent, 4)).toEqual(minute(10));
    expect(findAllowedTime(recent, 5)).toEqual(minute(13));
    expect(findAllowedTime(recent, 10)).toEqual(minute(15));
  });
});
