import { setTimeout as sleep } from 'node:timers/promises';
import type { Panel } from '@steward/panel/program';

export type TableStats = {
  name: string;
  bytes: number;
  inserts: number;
  updates: number;
  hotUpdates: number;
  deadRows: number;
};

export type DatabaseStats = { bytes: number; tables: Map<string, TableStats> };

/** PostgreSQL reports the counters of a session up to a second late. */
const STATS_DELAY_MS = 2000;

/** Reads sizes and counters. Partitions count for their table. `compact`: without the space that can be used again. */
export async function readStats(
  panel: Panel,
  { compact }: { compact: boolean },
): Promise<DatabaseStats> {
  const owner = await panel.connection.openAsOwner();
  try {
    if (compact) await compactTables(owner.pool);
    await sleep(STATS_DELAY_MS);
    const database = await owner.pool.query('SELECT pg_database_size(current_database()) AS bytes');
    const { rows } = await owner.pool.query(
      `SELECT coalesce(inhparent, s.relid)::regclass::text AS name, sum(pg_total_relation_size(s.relid)) AS bytes,
         sum(n_tup_ins) AS inserts, sum(n_tup_upd) AS updates, sum(n_tup_hot_upd) AS "hotUpdates",
         sum(n_dead_tup) AS "deadRows"
       FROM pg_stat_user_tables s LEFT JOIN pg_inherits ON inhrelid = s.relid
       GROUP BY 1`,
    );
    const tables = rows.map(({ name, ...counts }): [string, TableStats] => {
      const numbers = Object.entries(counts).map(([key, value]) => [key, Number(value)]);
      return [name, { name, ...Object.fromEntries(numbers) }];
    });
    return { bytes: Number(database.rows[0].bytes), tables: new Map(tables) };
  } finally {
    await owner.close();
  }
}

async function compactTables(pool: Panel['connection']['pool']): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    await client.query('VACUUM (FULL, ANALYZE)');
  } finally {
    client.release();
  }
}

export type TableGrowth = TableStats & { grownBytes: number };

/** Returns what happened to each table between two readings. `deadRows` are those of the second one. */
export function compareStats(before: DatabaseStats, after: DatabaseStats): TableGrowth[] {
  return [...after.tables.values()].map((table) => {
    const earlier = before.tables.get(table.name);
    return {
      ...table,
      grownBytes: table.bytes - (earlier?.bytes ?? 0),
      inserts: table.inserts - (earlier?.inserts ?? 0),
      updates: table.updates - (earlier?.updates ?? 0),
      hotUpdates: table.hotUpdates - (earlier?.hotUpdates ?? 0),
    };
  });
}
