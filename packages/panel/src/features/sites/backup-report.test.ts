import { BackupStateReport } from '@steward/contract';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { toStoredBackups } from './backup-report.ts';

const NOW = new Date('2026-06-12T12:00:00Z');
const entry = { plugin: 'updraftplus', backed_up_at: '2026-06-12T11:00:00Z', contains: 'all' };
const store = (...backups: BackupStateReport['backups']) => toStoredBackups({ backups }, NOW);

describe('toStoredBackups', () => {
  it('keeps what it knows', () => {
    const known = { ...entry, backed_up_at: '2026-06-12T11:00:00.000Z' };
    expect(store(entry)).toEqual([known]);
    expect(store({ plugin: 'jetpack', backed_up_at: null })).toEqual([
      { plugin: 'jetpack', backed_up_at: null, contains: 'all' },
    ]);
  });

  it('drops plugins and contents that it does not know', () => {
    expect(store({ ...entry, plugin: 'toString' }, { ...entry, contains: 'half' })).toEqual([]);
  });

  it.each([
    '',
    'yesterday',
    '1781265600',
    '2026-06-12',
    '2026-06-12T11:00:00+02:00',
    '2026-13-40T11:00:00Z',
    '2026-06-12T12:10:01Z',
    '9999-12-31T23:59:59Z',
    '1970-01-01T00:00:00Z',
    '<b>2026-06-12T11:00:00Z</b>',
  ])('does not know the time %j', (backed_up_at) => {
    expect(store({ ...entry, backed_up_at })).toEqual([{ ...entry, backed_up_at: null }]);
  });

  it('has a schema with bounds', () => {
    const isValid = (backups: unknown[]) => Value.Check(BackupStateReport, { backups });
    expect(isValid(Array.from({ length: 30 }, () => entry))).toBe(true);
    expect(isValid(Array.from({ length: 31 }, () => entry))).toBe(false);
    expect(isValid([{ ...entry, backed_up_at: 'x'.repeat(65) }])).toBe(false);
    expect(isValid([{ ...entry, backed_up_at: 1781265600 }])).toBe(false);
  });
});
