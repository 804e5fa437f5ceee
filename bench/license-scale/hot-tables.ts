import type { Panel } from '@steward/panel/program';
import { waitForStatistics } from './database-work.ts';

const TABLES = ['license_activations', 'sites', 'licenses'];

export type TableState = {
  table: string;
  updates: number;
  hotUpdates: number;
  deadRows: number;
  rows: number;
  /** With indexes and the values outside the rows. */
  bytes: number;
};

export async function readHotTables({ connection }: Panel): Promise<TableState[]> {
  await waitForStatistics();
  const { rows } = await connection.pool.query<TableState>(
    `SELECT relname AS "table", n_tup_upd AS updates, n_tup_hot_upd AS "hotUpdates",
       n_dead_tup AS "deadRows", n_live_tup AS rows, pg_total_relation_size(relid) AS bytes
     FROM pg_stat_user_tables WHERE relname = ANY($1) ORDER BY relname`,
    [TABLES],
  );
  return rows;
}
