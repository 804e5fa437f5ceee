import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDelayedWakes } from './delayed-wakes.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function start() {
  const wake = vi.fn();
  return { wake, wakes: createDelayedWakes(wake) };
}

it('wakes after the delay, and not before', () => {
  const { wake, wakes } = start();
  wakes.add(500);
  vi.advanceTimersByTime(500);
  expect(wake).not.toHaveBeenCalled();
  vi.advanceTimersByTime(50);
  expect(wake).toHaveBeenCalledOnce();
});

it('wakes once for jobs that are due together, and again for a later one', () => {
  const { wake, wakes } = start();
  for (let index = 0; index < 1000; index++) wakes.add(500);
  wakes.add(800);
  vi.advanceTimersByTime(600);
  expect(wake).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(300);
  expect(wake).toHaveBeenCalledTimes(2);
});

it.each([0, 60_001])('leaves a delay of %i ms to the notification or the poll', (delayMs) => {
  const { wakes } = start();
  wakes.add(delayMs);
  expect(vi.getTimerCount()).toBe(0);
});

it('does not wake after it has stopped', () => {
  const { wake, wakes } = start();
  wakes.add(500);
  wakes.stop();
  vi.advanceTimersByTime(1000);
  expect(wake).not.toHaveBeenCalled();
});
