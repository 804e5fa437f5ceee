import { describe, expect, it } from 'vitest';
import { RESET_EMAIL_LIMITS, secondsUntilEmail, TEST_EMAIL_LIMITS } from './email-limits.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const secondsAgo = (...seconds: number[]) =>
  seconds.map((each) => new Date(NOW.getTime() - each * 1000));

describe('secondsUntilEmail', () => {
  const untilTest = (...seconds: number[]) =>
    secondsUntilEmail(secondsAgo(...seconds), NOW, TEST_EMAIL_LIMITS);

  it('allows five test e-mails in ten minutes', () => {
    expect(untilTest(1, 2, 3, 4)).toBe(0);
    expect(untilTest(1, 2, 3, 4, 500)).toBe(100);
  });

  it('waits for the fifth newest one, in any order, and ignores older ones', () => {
    expect(untilTest(300, 1, 500, 2, 3, 550)).toBe(100);
    expect(untilTest(1, 2, 3, 4, 601)).toBe(0);
  });

  it('never returns a part of a second', () => {
    expect(untilTest(1, 2, 3, 4, 599.9)).toBe(1);
  });

  it('takes the longest wait of several limits', () => {
    const untilReset = (...seconds: number[]) =>
      secondsUntilEmail(secondsAgo(...seconds), NOW, RESET_EMAIL_LIMITS);
    expect(untilReset(1, 2)).toBe(0);
    expect(untilReset(1, 2, 3)).toBe(897);
    const hours = Array.from({ length: 10 }, (_, index) => (index + 1) * 3600);
    expect(untilReset(...hours)).toBe(14 * 3600);
    expect(untilReset(...hours.slice(1))).toBe(0);
  });
});
