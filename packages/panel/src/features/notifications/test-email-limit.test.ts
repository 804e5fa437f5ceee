import { describe, expect, it } from 'vitest';
import { secondsUntilTestEmail } from './test-email-limit.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const secondsAgo = (...seconds: number[]) =>
  seconds.map((each) => new Date(NOW.getTime() - each * 1000));

describe('secondsUntilTestEmail', () => {
  it('allows five test e-mails in ten minutes', () => {
    expect(secondsUntilTestEmail(secondsAgo(1, 2, 3, 4), NOW)).toBe(0);
    expect(secondsUntilTestEmail(secondsAgo(1, 2, 3, 4, 500), NOW)).toBe(100);
  });

  it('waits for the fifth newest one, in any order, and ignores older ones', () => {
    expect(secondsUntilTestEmail(secondsAgo(300, 1, 500, 2, 3, 550), NOW)).toBe(100);
    expect(secondsUntilTestEmail(secondsAgo(1, 2, 3, 4, 601), NOW)).toBe(0);
  });

  it('never returns a part of a second', () => {
    expect(secondsUntilTestEmail(secondsAgo(1, 2, 3, 4, 599.9), NOW)).toBe(1);
  });
});
