import type { BackupActivity } from '@steward/contract';
import type { BackupResult } from './last-backup.repository.ts';

/** A backup that an owner requested in the screens. A worker creates it. */
export type RequestedBackup = {
  requestedAt: Date;
  /** The id of the user. */
  actor: string;
  /** How often a worker has begun. */
  attempts: number;
  /** When a worker last said that it works on the request. Null: none has begun. */
  heartbeatAt: Date | null;
  /** Null: not finished. */
  result: BackupResult | null;
};

/** A worker that is killed during each attempt, such as for lack of memory, must not try for ever. */
export const ATTEMPTS_MAX = 3;
/** A worker looks for requests at least every minute. After a kill, the queue needs another one. */
const PICKUP_MS = 3 * 60_000;

/** A restored database has the request that was open during its backup. */
const EXPIRES_MS = 24 * 3_600_000;

/** Requested, not finished and not expired. */
export const isOpen = (request: RequestedBackup | null, now: Date): request is RequestedBackup =>
  request !== null &&
  request.result === null &&
  now.getTime() - request.requestedAt.getTime() < EXPIRES_MS;

/** How often a worker renews its heartbeat, and the age at which the worker counts as killed. */
export const HEARTBEAT_MS = 15_000;
const HEARTBEAT_LOST_MS = 60_000;

/**
 * `isRunning`: whether a process copies the tables at this moment, for this request or another reason. Reading the file back
 * takes a while, too.
 */
export function findActivity(
  request: RequestedBackup | null,
  isRunning: boolean,
  now: Date,
): BackupActivity {
  if (isRunning) return 'running';
  if (!isOpen(request, now)) return 'idle';
  const { heartbeatAt, requestedAt } = request;
  const ageOf = (time: Date) => now.getTime() - time.getTime();
  if (heartbeatAt !== null && ageOf(heartbeatAt) < HEARTBEAT_LOST_MS) return 'running';
  return ageOf(heartbeatAt ?? requestedAt) < PICKUP_MS ? 'queued' : 'no_worker';
}

export const findNewest = (...results: (BackupResult | null | undefined)[]): BackupResult | null =>
  results
    .filter((result) => result !== null && result !== undefined)
    .sort((a, b) => b.at.getTime() - a.at.getTime())[0] ?? null;
