import { describe, expect, it } from 'vitest';
import { isFiltered, quickRange, toApiQuery } from './filters.ts';

describe('filters of the audit log', () => {
  it('cover whole days, from midnight to midnight', () => {
    const { from, to } = toApiQuery({ from: '2026-06-01', to: '2026-06-30' });
    expect(new Date(from ?? '')).toEqual(new Date(2026, 5, 1));
    expect(new Date(to ?? '')).toEqual(new Date(2026, 6, 1));
  });

  it('have quick ranges that end today, across a change of the month', () => {
    const now = new Date(2026, 2, 3, 23, 59);
    expect(quickRange(1, now)).toEqual({ from: '2026-03-03', to: '2026-03-03' });
    expect(quickRange(7, now)).toEqual({ from: '2026-02-25', to: '2026-03-03' });
    expect(quickRange(30, now)).toEqual({ from: '2026-02-02', to: '2026-03-03' });
  });

  it('pass all other values unchanged', () => {
    const search = { actor: 'system', from: '2026-06-01T10:00:00Z', text: '50%' };
    expect(toApiQuery(search)).toMatchObject(search);
    expect(toApiQuery({ from: 'yesterday' }).from).toBe('yesterday');
  });

  it('count as unset when all are empty', () => {
    expect(isFiltered({})).toBe(false);
    expect(isFiltered({ text: '' })).toBe(false);
    expect(isFiltered({ actor: 'system' })).toBe(true);
  });
});
