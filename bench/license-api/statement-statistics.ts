import {
  binariesFor,
  chooseOsAccount,
  joinEmbeddedPostgres,
  locateBinaries,
  OWNER_ROLE,
  openPool,
  pgDataOf,
} from '@steward/panel/database';
import { createLogger } from '@steward/panel/logger';

export type StatementTime = { query: string; share: number; mean: number; calls: number };

/** Starts the embedded database of a data directory with `pg_stat_statements`. */
export async function startWithStatistics(dataDir: string) {
  const settings = {
    shared_preload_libraries: 'pg_stat_statements',
    'pg_stat_statements.track': 'top',
    'pg_stat_statements.track_planning': 'on',
  };
  const options = { dataDir, log: createLogger('warn'), settings };
  await (await joinEmbeddedPostgres(options)).leave();
  // Only the superuser may create the extension, and it cannot sign in to the running server.
  const pgData = pgDataOf(dataDir);
  const account = chooseOsAccount(dataDir, pgData);
  const { postgres } = binariesFor(account, await locateBinaries());
  const statements = `CREATE EXTENSION pg_stat_statements\nGRANT pg_read_all_stats TO ${OWNER_ROLE}\nGRANT EXECUTE ON FUNCTION pg_stat_statements_reset TO ${OWNER_ROLE}\n`;
  await account.run(postgres, ['--single', '-D', pgData, 'steward'], statements);
  const server = await joinEmbeddedPostgres(options);
  const { pool, close } = openPool(server.ownerConnection, options.log);

  return {
    resetStatistics: () => pool.query('SELECT pg_stat_statements_reset()'),
    /** Returns the statements with the highest total time of planning and execution. */
    async readStatistics(limit: number): Promise<StatementTime[]> {
      const { rows } = await pool.query<StatementTime>(
        `SELECT query, calls::int, (total_plan_time + total_exec_time) / calls AS mean,
           (total_plan_time + total_exec_time) / sum(total_plan_time + total_exec_time) OVER () AS share
         FROM pg_stat_statements WHERE calls > 0 ORDER BY share DESC LIMIT $1`,
        [limit],
      );
      return rows;
    },
    async stop() {
      await close();
      await server.leave();
    },
  };
}
