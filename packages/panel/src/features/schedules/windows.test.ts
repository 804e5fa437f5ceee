import { Settings } from 'luxon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findDueDay } from './due-day.ts';
import { currentOrNextWindow, type WindowPlan, windowOn } from './windows.ts';

const NIGHTLY: WindowPlan = {
  weekdays: [1, 2, 3, 4, 5, 6, 7],
  onceOn: null,
  opensAt: '02:00',
  closesAt: '05:00',
};
const TUESDAYS: WindowPlan = { ...NIGHTLY, weekdays: [2] };
const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';

const isoWindow = (plan: WindowPlan, day: string, zone: string) => {
  const { opensAt, closesAt } = windowOn(plan, day, zone);
  return [opensAt.toISOString(), closesAt.toISOString()];
};

describe('windowOn', () => {
  it.each(['2026-07-01', '2026-12-01'])('does not depend on the current date: %s', (today) => {
    const now = Settings.now;
    onTestFinished(() => {
      Settings.now = now;
    });
    Settings.now = () => Date.parse(today);
    const plan = { ...NIGHTLY, opensAt: '01:45', closesAt: '02:30' };
    expect(isoWindow(plan, '2026-10-25', BERLIN)).toEqual([
      '2026-10-24T23:45:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ]);
    expect(isoWindow(plan, '2026-11-01', NEW_YORK)).toEqual([
      '2026-11-01T06:45:00.000Z',
      '2026-11-01T07:30:00.000Z',
    ]);
  });

  it.each([
    ['a usual day', '2026-06-02', BERLIN, '2026-06-02T00:00Z', '2026-06-02T03:00Z'],
    [
      'the start of summer time in Berlin',
      '2026-03-29',
      BERLIN,
      '2026-03-29T01:00Z',
      '2026-03-29T03:00Z',
    ],
    [
      'the end of summer time in Berlin',
      '2026-10-25',
      BERLIN,
      '2026-10-25T01:00Z',
      '2026-10-25T04:00Z',
    ],
    [
      'the start of summer time in New York',
      '2026-03-08',
      NEW_YORK,
      '2026-03-08T07:00Z',
      '2026-03-08T09:00Z',
    ],
    [
      'the end of summer time in New York',
      '2026-11-01',
      NEW_YORK,
      '2026-11-01T07:00Z',
      '2026-11-01T10:00Z',
    ],
    ['an offset', '2026-06-02', '+05:30', '2026-06-01T20:30Z', '2026-06-01T23:30Z'],
  ])('has the local times on %s', (_case, day, zone, opensAt, closesAt) => {
    const expected = [opensAt, closesAt].map((time) => new Date(time).toISOString());
    expect(isoWindow(NIGHTLY, day, zone)).toEqual(expected);
  });

  it('closes on the next day if it closes before it opens', () => {
    const plan = { ...NIGHTLY, opensAt: '22:00', closesAt: '04:00' };
    expect(isoWindow(plan, '2026-10-24', BERLIN)).toEqual([
      '2026-10-24T20:00:00.000Z',
      '2026-10-25T03:00:00.000Z',
    ]);
  });
});

describe('currentOrNextWindow', () => {
  it.each([
    ['before it opens', '2026-06-02T23:59Z', '2026-06-03T00:00Z'],
    ['while it is open', '2026-06-03T02:59Z', '2026-06-03T00:00Z'],
    ['when it has closed', '2026-06-03T03:00Z', '2026-06-04T00:00Z'],
    ['across the start of summer time', '2026-03-28T12:00Z', '2026-03-29T01:00Z'],
    ['across the end of summer time', '2026-10-24T12:00Z', '2026-10-25T01:00Z'],
  ])('finds the window %s', (_case, now, opensAt) => {
    const window = currentOrNextWindow(NIGHTLY, BERLIN, new Date(now));
    expect(window.opensAt).toEqual(new Date(opensAt));
  });

  it('finds the window of the next week', () => {
    const window = currentOrNextWindow(TUESDAYS, BERLIN, new Date('2026-06-02T03:00Z'));
    expect(window.opensAt).toEqual(new Date('2026-06-09T00:00Z'));
  });

  it('finds a window of yesterday that is still open', () => {
    const plan = { ...TUESDAYS, opensAt: '22:00', closesAt: '04:00' };
    const window = currentOrNextWindow(plan, BERLIN, new Date('2026-06-03T01:00Z'));
    expect(window.opensAt).toEqual(new Date('2026-06-02T20:00Z'));
  });

  it('repeats a single window on the next day, for sites that are left', () => {
    const plan = { ...NIGHTLY, weekdays: [], onceOn: '2026-06-02' };
    const window = currentOrNextWindow(plan, BERLIN, new Date('2026-06-02T03:00Z'));
    expect(window.opensAt).toEqual(new Date('2026-06-03T00:00Z'));
  });
});

const SINCE = new Date('2026-05-28T00:00Z');

describe('findDueDay', () => {
  const find = (now: string, lastDay: string | null = null, zones = [BERLIN], plan = TUESDAYS) =>
    findDueDay({ ...plan, lastDay, failure: null, activeSince: SINCE }, zones, new Date(now));

  it('is due while a window is open, once', () => {
    expect(find('2026-06-01T23:59Z')).toBeNull();
    expect(find('2026-06-02T00:00Z')).toBe('2026-06-02');
    expect(find('2026-06-02T00:01Z', '2026-06-02')).toBeNull();
  });

  it('is due when the first of several zones opens, and until the last one closes', () => {
    const zones = ['Pacific/Auckland', NEW_YORK];
    expect(find('2026-06-01T13:59Z', null, zones)).toBeNull();
    expect(find('2026-06-01T14:00Z', null, zones)).toBe('2026-06-02');
    expect(find('2026-06-02T08:59Z', null, zones)).toBe('2026-06-02');
    expect(find('2026-06-02T09:00Z', null, zones)).toBeNull();
  });

  it('skips days that passed while the panel was down, and is due once', () => {
    expect(find('2026-06-23T12:00Z', '2026-06-02')).toBeNull();
    expect(find('2026-06-23T01:00Z', '2026-06-02', [BERLIN], NIGHTLY)).toBe('2026-06-23');
  });

  it('makes up for a missed week in the same hours of the next day, once', () => {
    expect(find('2026-06-10T00:00Z', '2026-06-02')).toBe('2026-06-10');
    expect(find('2026-06-14T02:00Z', '2026-06-02')).toBe('2026-06-14');
    expect(find('2026-06-10T03:00Z', '2026-06-02')).toBeNull();
    expect(find('2026-06-11T00:00Z', '2026-06-10')).toBeNull();
    expect(find('2026-06-03T00:00Z', '2026-06-02')).toBeNull();
  });

  it('does not count windows before the schedule was created or enabled', () => {
    expect(find('2026-05-29T00:30Z')).toBeNull();
    expect(find('2026-06-03T00:30Z')).toBe('2026-06-03');
  });

  it('starts a missed single start in the next window', () => {
    const plan = { ...NIGHTLY, weekdays: [], onceOn: '2026-06-02' };
    expect(find('2026-06-05T12:00Z', null, [BERLIN], plan)).toBeNull();
    expect(find('2026-06-06T00:30Z', null, [BERLIN], plan)).toBe('2026-06-06');
  });
});

describe('findDueDay of a single start', () => {
  const SINGLE = {
    ...NIGHTLY,
    weekdays: [],
    onceOn: '2026-06-02',
    lastDay: '2026-06-02',
    activeSince: SINCE,
  };

  it('is over after its day', () => {
    const plan = { ...SINGLE, failure: null };
    expect(findDueDay(plan, [BERLIN], new Date('2026-06-03T00:30Z'))).toBeNull();
  });

  it('is due on the next day if it did not start', () => {
    const plan = { ...SINGLE, failure: 'held_version' };
    expect(findDueDay(plan, [BERLIN], new Date('2026-06-02T00:30Z'))).toBeNull();
    expect(findDueDay(plan, [BERLIN], new Date('2026-06-03T00:30Z'))).toBe('2026-06-03');
  });

  it('is due again after it was moved to a later day', () => {
    const plan = { ...SINGLE, onceOn: '2026-06-09', failure: null };
    expect(findDueDay(plan, [BERLIN], new Date('2026-06-09T00:30Z'))).toBe('2026-06-09');
  });
});
