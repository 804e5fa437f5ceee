import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import { type DatabaseState, readDatabaseState } from './database-state.repository.ts';

type Dependencies = { db: Database; clock: Clock; log: Logger };

/** All scrapes in this time share one read of the database. */
const CACHE_MS = 5000;
/** Prometheus waits ten seconds by default. Without the database it must still get the metrics of the process. */
const TIMEOUT_MS = 2000;

/** Reads the state of the database for a scrape. Null if the database does not respond in time. */
export function createStateReader(
  { db, clock, log }: Dependencies,
  { cacheMs = CACHE_MS, timeoutMs = TIMEOUT_MS } = {},
) {
  let cached: { state: DatabaseState; until: number } | null = null;
  let reading: Promise<DatabaseState | null> | null = null;

  async function readNow(): Promise<DatabaseState | null> {
    try {
      const state = await readDatabaseState(db, clock.now());
      cached = { state, until: performance.now() + cacheMs };
      return state;
    } catch (error) {
      log.warn({ reason: String(error) }, 'Could not read the database for the metrics.');
      return null;
    } finally {
      reading = null;
    }
  }

  return {
    async read(): Promise<DatabaseState | null> {
      if (cached && cached.until > performance.now()) return cached.state;
      // A read that hangs keeps one connection, however often a scraper asks.
      reading ??= readNow();
      return Promise.race([reading, sleep(timeoutMs, null, { ref: false })]);
    },
  };
}
