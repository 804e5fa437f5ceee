import { describe, expect, it } from 'vitest';
import type { BackupResult } from './last-backup.repository.ts';
import { findActivity, findNewest, type RequestedBackup } from './requested-backup.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const result = (at: Date): BackupResult => ({
  at,
  succeeded: true,
  file: 'a.tar',
  bytes: 1,
  reason: null,
});
const request = (
  minutes: number,
  { result: finished = null, heartbeatAt = null }: Partial<RequestedBackup> = {},
): RequestedBackup => ({
  requestedAt: minutesAgo(minutes),
  actor: '1',
  attempts: 0,
  heartbeatAt,
  result: finished,
});

describe('findActivity', () => {
  it.each([
    ['idle', null, false],
    ['idle', request(1, { result: result(NOW), heartbeatAt: NOW }), false],
    ['running', request(30, { heartbeatAt: minutesAgo(0.9) }), false],
    ['queued', request(30, { heartbeatAt: minutesAgo(1) }), false],
    ['no_worker', request(30, { heartbeatAt: minutesAgo(3) }), false],
    ['queued', request(2), false],
    ['no_worker', request(3), false],
    ['no_worker', request(24 * 60 - 1), false],
    ['idle', request(24 * 60), false],
    ['running', request(3), true],
    ['running', null, true],
  ] as const)('%s', (activity, requested, isRunning) => {
    expect(findActivity(requested, isRunning, NOW)).toBe(activity);
  });
});

it('findNewest compares the scheduled and the requested backup', () => {
  const [older, newer] = [result(minutesAgo(5)), result(minutesAgo(1))];
  expect(findNewest(older, newer)).toBe(newer);
  expect(findNewest(newer, null, undefined)).toBe(newer);
  expect(findNewest(null, undefined)).toBeNull();
});
