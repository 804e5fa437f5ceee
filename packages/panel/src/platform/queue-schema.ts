import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import packageJson from 'pg-boss/package.json' with { type: 'json' };

/** The tables of the queue belong to the owner of all tables; the panel's own role only uses them. */

export async function isQueueInstalled(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query('SELECT version FROM pgboss.version');
  return Number(rows[0]?.version) === packageJson.pgboss.schema;
}

/** Makes or migrates them. pg-boss has a lock for those who do so at the same time. */
export async function installQueue(pool: pg.Pool): Promise<void> {
  const boss = new PgBoss({
    db: {
      async executeSql(text, values = []) {
        const result = await pool.query(text, values.length > 0 ? values : undefined);
        // Several statements in one text have a result each.
        return { rows: [result].flat().flatMap(({ rows }) => rows) };
      },
    },
    supervise: false,
    schedule: false,
  });
  // Without a listener an error would end the process; what matters is thrown by start().
  boss.on('error', () => {});
  await boss.start();
  await boss.stop({ graceful: false, close: false });
}
