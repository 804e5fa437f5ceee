import { describe, expect, it } from 'vitest';
import { isTimeZone } from './time-zone.ts';

describe('isTimeZone', () => {
  it.each(['UTC', 'Europe/Berlin', '+02:00', '-09:30', '+14:00'])('accepts %s', (zone) => {
    expect(isTimeZone(zone)).toBe(true);
  });

  it.each(['', 'Nowhere/City', '+99:00', '+0200', '-15:00', '../etc', 'local', 'UTC+2'])(
    'rejects "%s"',
    (zone) => {
      expect(isTimeZone(zone)).toBe(false);
    },
  );
});
