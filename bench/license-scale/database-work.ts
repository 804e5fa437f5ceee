import { setTimeout as sleep } from 'node:timers/promises';
import type { Panel } from '@steward/panel/program';

/** A connection without work reports its statistics after ten seconds. */
const STATISTICS_SECONDS = 11;

/** What the database has done since its start. Unlike times, it does not depend on the load of the machine. */
export type DatabaseWork = { pages: number; walBytes: number };

export const waitForStatistics = () => sleep(STATISTICS_SECONDS * 1000);

export async function readDatabaseWork({ connection }: Panel): Promise<DatabaseWork> {
  const { rows } = await connection.pool.query<{ pages: string; bytes: string }>(
    `SELECT blks_hit + blks_read AS pages, pg_current_wal_lsn() - '0/0'::pg_lsn AS bytes
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  return { pages: Number(rows[0]?.pages), walBytes: Number(rows[0]?.bytes) };
}
