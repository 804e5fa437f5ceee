import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import packageJson from 'pg-boss/package.json' with { type: 'json' };

/** The owner role also owns the tables of the queue. The runtime role of the panel only uses them. */

/** Whether the tables of the queue are at least as new as this version needs. */
export const isQueueInstalled = async (pool: pg.Pool) =>
  (await readSchemaVersion(pool)) >= packageJson.pgboss.schema;

/** Whether a newer version of Steward has migrated the tables of the queue. */
export const isQueueNewer = async (pool: pg.Pool) =>
  (await readSchemaVersion(pool)) > packageJson.pgboss.schema;

async function readSchemaVersion(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query('SELECT version FROM pgboss.version');
  return Number(rows[0]?.version);
}

/** Creates or migrates the tables of the queue. pg-boss locks against concurrent installs. */
export async function installQueue(pool: pg.Pool): Promise<void> {
  const boss = new PgBoss({
    db: {
      async executeSql(text, values = []) {
        const result = await pool.query(text, values.length > 0 ? values : undefined);
        // A text with several statements returns one result each.
        return { rows: [result].flat().flatMap(({ rows }) => rows) };
      },
    },
    supervise: false,
    schedule: false,
  });
  // Without a listener, an error would end the process. `start` throws the relevant errors.
  boss.on('error', () => {});
  await boss.start();
  await boss.stop({ graceful: false, close: false });
}
