import { UPDATE_HISTORY_DAYS, type UpdatesOfDay } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { CurrentUser } from '../site-access/index.ts';
import { countUpdatesByDay } from './update-history.repository.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The count of an earlier day changes only with the access of the user, or if a task is stored just after midnight. */
const CACHE_MS = 10 * 60_000;

/**
 * Counts the updates of the last days in UTC, the oldest first. Today is always counted again. Each earlier day has its
 * own statement and cache entry: one statement for a million tasks could exceed the statement timeout.
 */
export function createUpdateHistory({ db, clock }: { db: Database; clock: Clock }) {
  const cache = new Map<string, { count: Promise<UpdatesOfDay>; expiresAtMs: number }>();

  async function countDay(user: CurrentUser, startMs: number): Promise<UpdatesOfDay> {
    const [from, before] = [new Date(startMs), new Date(startMs + DAY_MS)];
    const [counted] = await countUpdatesByDay(db, user, { from, before });
    return counted ?? { day: from.toISOString().slice(0, 10), succeeded: 0, failed: 0 };
  }

  function countEarlierDay(
    user: CurrentUser,
    startMs: number,
    todayMs: number,
  ): Promise<UpdatesOfDay> {
    const key = `${startMs} ${user.role === 'owner' ? 'owner' : user.id}`;
    const cached = cache.get(key);
    if (cached) return cached.count;
    const count = countDay(user, startMs);
    const isFinal = user.role === 'owner' && startMs < todayMs - DAY_MS;
    const expiresAtMs = clock.now().getTime() + (isFinal ? DAY_MS : CACHE_MS);
    cache.set(key, { count, expiresAtMs });
    count.catch(() => cache.delete(key));
    return count;
  }

  return {
    async read(user: CurrentUser): Promise<UpdatesOfDay[]> {
      const nowMs = clock.now().getTime();
      for (const [key, { expiresAtMs }] of cache) if (expiresAtMs <= nowMs) cache.delete(key);
      const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
      const days: UpdatesOfDay[] = [];
      // One after the other, so that a request uses one connection.
      for (let age = UPDATE_HISTORY_DAYS - 1; age > 0; age--) {
        days.push(await countEarlierDay(user, todayMs - age * DAY_MS, todayMs));
      }
      return [...days, await countDay(user, todayMs)];
    },
  };
}
