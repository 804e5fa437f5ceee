import { describe, expect, it } from 'vitest';
import { findBackupTime, isBackupRecent, type StoredBackup } from './backups.ts';

const backup = (contains: StoredBackup['contains'], time: string | null): StoredBackup => ({
  plugin: 'updraftplus',
  backed_up_at: time && `2026-06-${time}:00:00.000Z`,
  contains,
});

describe('findBackupTime', () => {
  it.each<[string, StoredBackup[], string | null]>([
    ['no backup', [], null],
    ['a backup without a time', [backup('all', null)], null],
    ['a full backup', [backup('all', '10T12')], '10T12'],
    ['the newest full backup', [backup('all', '10T12'), backup('all', '11T12')], '11T12'],
    ['only the database', [backup('database', '10T12')], null],
    ['only the files', [backup('files', '10T12')], null],
    [
      'the older one of two parts',
      [backup('database', '11T12'), backup('files', '10T12')],
      '10T12',
    ],
    [
      'a newer part beside an older full backup',
      [backup('all', '08T12'), backup('database', '11T12')],
      '08T12',
    ],
    [
      'two newer parts beside an older full backup',
      [backup('all', '08T12'), backup('database', '11T12'), backup('files', '09T12')],
      '09T12',
    ],
  ])('%s', (_, backups, time) => {
    expect(findBackupTime(backups)?.toISOString() ?? null).toBe(
      time && `2026-06-${time}:00:00.000Z`,
    );
  });
});

describe('isBackupRecent', () => {
  const now = new Date('2026-06-10T12:00:00Z');
  it.each([
    [null, false],
    [new Date('2026-06-09T12:00:00Z'), false],
    [new Date('2026-06-09T12:00:01Z'), true],
    [now, true],
  ])('%s', (time, expected) => expect(isBackupRecent(time, 24, now)).toBe(expected));
});
