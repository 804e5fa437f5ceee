import { describe, expect, it } from 'vitest';
import {
  hasNoNextWindow,
  isEmptyWindow,
  isInWindow,
  secondsUntilWindow,
  windowState,
} from './call-window.ts';

const at = (time: string) => new Date(`2026-06-02T${time}Z`);
const WINDOW = { opensAt: at('02:00:00'), closesAt: at('05:00:00') };
const TASK = { window_opens_at: WINDOW.opensAt, window_closes_at: WINDOW.closesAt };
const NO_WINDOW = { window_opens_at: null, window_closes_at: null };

describe('a window', () => {
  it.each([
    ['01:59:59.999', 'before', 1],
    ['00:00:00', 'before', 7200],
    ['02:00:00', 'open', 0],
    ['04:59:59.999', 'open', 0],
    ['05:00:00', 'closed', 30],
    ['23:00:00', 'closed', 30],
  ])('at %s is %s, and a task waits %i seconds', (time, state, seconds) => {
    expect(windowState(WINDOW, at(time))).toBe(state);
    expect(secondsUntilWindow(TASK, at(time))).toBe(seconds);
    expect(isInWindow(TASK, at(time))).toBe(state === 'open');
  });

  it.each(['01:00:00', '02:00:00', '03:00:00'])('that is empty is never open: %s', (time) => {
    const empty = { opensAt: at('02:00:00'), closesAt: at('02:00:00') };
    expect(isEmptyWindow(empty)).toBe(true);
    expect(windowState(empty, at(time))).not.toBe('open');
  });

  it('does not follow if the schedule was deleted', () => {
    const task = { ...TASK, schedule_id: null };
    expect(hasNoNextWindow(task, at('04:59:59'))).toBe(false);
    expect(hasNoNextWindow(task, at('05:00:00'))).toBe(true);
    expect(hasNoNextWindow({ ...task, schedule_id: 1 }, at('05:00:00'))).toBe(false);
  });
});

describe('a task without a window', () => {
  it('never waits, and was never held', () => {
    expect(secondsUntilWindow(NO_WINDOW, at('03:00:00'))).toBe(0);
    expect(isInWindow(NO_WINDOW, at('03:00:00'))).toBe(false);
    expect(hasNoNextWindow({ ...NO_WINDOW, schedule_id: null }, at('03:00:00'))).toBe(false);
  });
});
