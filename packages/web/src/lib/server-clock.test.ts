import { describe, expect, it } from 'vitest';
import { correctOffset } from './server-clock.ts';

const HEADER = 'Thu, 19 Nov 2026 21:00:00 GMT';
const SERVER_TIME = Date.parse(HEADER);

describe('the clock of the panel', () => {
  it('corrects a clock of the browser that is five minutes late', () => {
    const offset = correctOffset(0, HEADER, SERVER_TIME - 300_000);
    expect(Math.abs(offset - 300_000)).toBeLessThan(1000);
  });

  it.each([0, 900, 1900])(
    'ignores a difference of %s ms, so that a countdown does not jump',
    (ms) => {
      expect(correctOffset(0, HEADER, SERVER_TIME + ms)).toBe(0);
    },
  );

  it.each([null, '', 'yesterday'])(
    'keeps the difference after a response with the date %j',
    (header) => {
      expect(correctOffset(1234, header, SERVER_TIME)).toBe(1234);
    },
  );
});
