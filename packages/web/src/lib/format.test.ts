import { describe, expect, it } from 'vitest';
import { count, formatDuration, formatNumber, formatRelativeTime } from './format.ts';

describe('formatNumber', () => {
  it('adds thousands separators', () => {
    expect(formatNumber(1234567)).toBe('1,234,567');
  });
});

describe('count', () => {
  it('uses the plural for every number but 1', () => {
    expect(count(1, 'site')).toBe('1 site');
    expect(count(0, 'site')).toBe('0 sites');
    expect(count(1200, 'site')).toBe('1,200 sites');
    expect(count(2, 'entry', 'entries')).toBe('2 entries');
  });
});

describe('formatRelativeTime', () => {
  const now = Date.parse('2026-06-01T12:00:00Z');
  for (const [iso, words] of [
    ['2026-06-01T11:59:00.001Z', 'just now'],
    ['2026-06-01T12:00:00Z', 'just now'],
    ['2026-06-01T12:00:05Z', 'just now'],
    ['2026-06-01T12:00:06Z', 'in less than a minute'],
    ['2026-06-01T12:00:59.999Z', 'in less than a minute'],
    ['2026-06-01T12:01:00Z', 'in 1 min'],
    ['2026-06-01T11:56:00Z', '4 min ago'],
    ['2026-06-01T09:30:00Z', '2 h ago'],
    ['2026-05-29T12:00:00Z', '3 d ago'],
    ['2026-03-01T12:00:00Z', '3 mo ago'],
    ['2024-05-01T12:00:00Z', '2 y ago'],
    ['2026-06-04T12:00:00Z', 'in 3 d'],
  ] as const) {
    it(`formats ${iso} as "${words}"`, () => expect(formatRelativeTime(iso, now)).toBe(words));
  }
});

describe('formatDuration', () => {
  for (const [milliseconds, words] of [
    [-5, '0 s'],
    [42_400, '42 s'],
    [185_000, '3 min 5 s'],
    [3_840_000, '1 h 4 min'],
  ] as const) {
    it(`formats ${milliseconds} ms as "${words}"`, () =>
      expect(formatDuration(milliseconds)).toBe(words));
  }
});
