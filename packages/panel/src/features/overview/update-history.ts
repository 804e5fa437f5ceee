import { UPDATE_HISTORY_DAYS, type UpdatesOfDay } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/tables.ts';
import type { CurrentUser } from '../site-access/index.ts';
import { countUpdatesByDay } from './update-history.repository.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Earlier days change only with the access of the user, and with a million tasks they take too long for each request. */
const CACHE_MS = 10 * 60_000;

/** Counts the updates of the last days in UTC, the oldest first. Today is always counted again. */
export function createUpdateHistory({ db, clock }: { db: Database; clock: Clock }) {
  const cache = new Map<string, { counts: Promise<UpdatesOfDay[]>; expiresAtMs: number }>();

  function countEarlierDays(user: CurrentUser, from: Date, before: Date): Promise<UpdatesOfDay[]> {
    const nowMs = clock.now().getTime();
    for (const [key, { expiresAtMs }] of cache) if (expiresAtMs <= nowMs) cache.delete(key);
    const key = `${before.getTime()} ${user.role === 'owner' ? 'owner' : user.id}`;
    const cached = cache.get(key);
    if (cached) return cached.counts;
    const counts = countUpdatesByDay(db, user, { from, before });
    cache.set(key, { counts, expiresAtMs: nowMs + CACHE_MS });
    counts.catch(() => cache.delete(key));
    return counts;
  }

  return {
    async read(user: CurrentUser): Promise<UpdatesOfDay[]> {
      const todayMs = Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS;
      const days = Array.from(
        { length: UPDATE_HISTORY_DAYS },
        (_, index) => new Date(todayMs - (UPDATE_HISTORY_DAYS - 1 - index) * DAY_MS),
      );
      const from = days[0] as Date;
      const today = new Date(todayMs);
      const tomorrow = new Date(todayMs + DAY_MS);
      const counted = await Promise.all([
        countEarlierDays(user, from, today),
        countUpdatesByDay(db, user, { from: today, before: tomorrow }),
      ]);
      const byDay = new Map(counted.flat().map((count) => [count.day, count]));
      return days.map((date) => {
        const day = date.toISOString().slice(0, 10);
        return byDay.get(day) ?? { day, succeeded: 0, failed: 0 };
      });
    },
  };
}
