import { describe, expect, it } from 'vitest';
import { readWaitSeconds } from './respond-with-run.ts';

describe('readWaitSeconds, from the Prefer header', () => {
  for (const [prefer, seconds] of [
    ['wait=0', 0],
    ['wait=1', 1],
    ['wait=120', 120],
    ['Wait = 120', 120],
    ['wait="120"', 120],
    ['handling=lenient, wait=7', 7],
    ['wait=5, wait=9', 5],
    ['wait=007', 7],
  ] as const) {
    it(`${prefer}: as requested`, () => {
      expect(readWaitSeconds(prefer)).toBe(seconds);
    });
  }

  for (const prefer of [
    'wait=300',
    'wait=301',
    'wait=999999',
    'wait=1000000',
    `wait=${'9'.repeat(400)}`,
  ]) {
    it(`${prefer.slice(0, 20)}: at most 300 seconds`, () => {
      expect(readWaitSeconds(prefer)).toBe(300);
    });
  }

  for (const prefer of [
    'respond-async',
    'Respond-Async',
    'respond-async, wait=100',
    'wait=100,respond-async',
  ]) {
    it(`${prefer}: does not wait`, () => {
      expect(readWaitSeconds(prefer)).toBe(0);
    });
  }

  for (const prefer of [
    undefined,
    '',
    ',',
    'wait',
    'wait=',
    'wait=-1',
    'wait=+5',
    'wait=1.5',
    'wait=1e9',
    'wait=0x10',
    'wait=NaN',
    'wait=Infinity',
    'wait=soon',
    'wait=5s',
    'await=5',
    'wait:5',
    'return=minimal',
    'respond-asynchronously',
  ]) {
    it(`${prefer}: the default of 30 seconds`, () => {
      expect(readWaitSeconds(prefer)).toBe(30);
    });
  }
});
