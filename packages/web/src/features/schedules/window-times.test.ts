import { describe, expect, it } from 'vitest';
import { findNextDay, findTonight, toLocalTime } from './window-times.ts';

const TUESDAYS = { weekdays: [2], once_on: null, opens_at: '02:00', closes_at: '05:00' };
const OVERNIGHT = { ...TUESDAYS, opens_at: '22:00', closes_at: '04:00' };
const at = (day: string, time: string) => ({ day, time });

describe('findNextDay', () => {
  it.each([
    ['before it opens', TUESDAYS, at('2026-06-01', '23:00'), '2026-06-02'],
    ['while it is open', TUESDAYS, at('2026-06-02', '04:59'), '2026-06-02'],
    ['when it has closed', TUESDAYS, at('2026-06-02', '05:00'), '2026-06-09'],
    ['after midnight', OVERNIGHT, at('2026-06-03', '03:59'), '2026-06-02'],
    ['after it closed on the next day', OVERNIGHT, at('2026-06-03', '04:00'), '2026-06-09'],
    [
      'of a single day in the future',
      { ...TUESDAYS, weekdays: [], once_on: '2026-07-31' },
      at('2026-06-01', '12:00'),
      '2026-07-31',
    ],
    ['without days', { ...TUESDAYS, weekdays: [] }, at('2026-06-01', '12:00'), null],
  ])('finds the window %s', (_case, plan, now, day) => {
    expect(findNextDay(plan, now)).toBe(day);
  });
});

it('takes the open window or the next one for tonight', () => {
  expect(findTonight(TUESDAYS, at('2026-06-01', '20:00'))).toBe('2026-06-02');
  expect(findTonight(TUESDAYS, at('2026-06-02', '00:30'))).toBe('2026-06-02');
  expect(findTonight(OVERNIGHT, at('2026-06-01', '20:00'))).toBe('2026-06-01');
});

it('converts a time to a zone', () => {
  const time = new Date('2026-06-01T23:30Z');
  expect(toLocalTime(time, 'Europe/Berlin')).toEqual(at('2026-06-02', '01:30'));
  expect(toLocalTime(time, 'America/New_York')).toEqual(at('2026-06-01', '19:30'));
  expect(toLocalTime(time, 'Nowhere/City')).toEqual(at('2026-06-01', '23:30'));
});
