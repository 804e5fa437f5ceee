import { TOKEN_LICENSE_CHANGES_MAX } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { findAllowedTime } from './license-change-limit.ts';

const hour = (hours: number) => new Date(Date.UTC(2026, 0, 1, hours));
const changes = (count: number) => Array.from({ length: count }, (_, index) => hour(index));

describe('the time at which the newest change of a token is within the limit', () => {
  it('is now up to the limit of the day', () => {
    expect(findAllowedTime(changes(1))).toBeNull();
    expect(findAllowedTime(changes(TOKEN_LICENSE_CHANGES_MAX))).toBeNull();
  });

  it('is a day after the oldest change above the limit', () => {
    expect(findAllowedTime(changes(TOKEN_LICENSE_CHANGES_MAX + 1))).toEqual(hour(24));
  });
});
