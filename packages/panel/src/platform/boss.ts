import type pg from 'pg';
import { type Db, PgBoss } from 'pg-boss';
import type { Channels } from './channels.ts';
import type { Logger } from './logger.ts';
import { isQueueNewer } from './queue-schema.ts';

type BossOptions = {
  pool: pg.Pool;
  channels: Channels;
  log: Logger;
  /** Whether this process runs jobs. Only such a process recovers jobs of dead processes and starts scheduled jobs. */
  runsJobs: boolean;
};

export const DAY_SECONDS = 24 * 60 * 60;

/** Opens pg-boss for all queues of this process. Each feature creates its own queue on it. */
export async function openBoss({ pool, channels, log, runsJobs }: BossOptions): Promise<PgBoss> {
  const boss = new PgBoss({
    db: createDatabaseAdapter(pool, channels),
    // The owner of the tables has already migrated them. pg-boss accepts newer tables only with `migrate`, and never
    // migrates them back.
    migrate: await isQueueNewer(pool),
    useListenNotify: runsJobs,
    schedule: runsJobs,
    supervise: runsJobs,
    superviseIntervalSeconds: 1,
    // Counts jobs and finds active keys. Until then, a fetch that meets a second job of an active key returns nothing.
    monitorIntervalSeconds: 1,
    queueCacheIntervalSeconds: runsJobs ? 1 : 60,
    // Deletes finished jobs soon, because they slow down counting.
    maintenanceIntervalSeconds: 60,
  });
  // pg-boss emits some errors as plain objects.
  boss.on('error', ({ message }) => log.warn({ reason: message }, 'Queue error.'));
  boss.on('warning', ({ message }) => log.info({ reason: message }, 'Queue warning.'));
  await boss.start();
  return boss;
}

/** Stops pg-boss without waiting for handlers. A feature that must finish its handlers stops its own queue first. */
export const closeBoss = (boss: PgBoss) => boss.stop({ graceful: false, close: false });

/** Names of prepared statements, by query. pg-boss has about a dozen queries. */
const statementNames = new Map<string, string>();

function statementNameOf(text: string): string {
  const name = statementNames.get(text) ?? `pgboss ${statementNames.size + 1}`;
  statementNames.set(text, name);
  return name;
}

function createDatabaseAdapter(pool: pg.Pool, channels: Channels): Db {
  return {
    async executeSql(text, values = []) {
      // Prepares statements with values: parsing and planning a fetch takes longer than running it.
      const result = await pool.query(
        values.length > 0 ? { name: statementNameOf(text), text, values } : text,
      );
      // A text with several statements returns one result each.
      return { rows: [result].flat().flatMap(({ rows }) => rows) };
    },
    async listen(channel, onNotification, onReconnect) {
      const subscription = await channels.listen(channel);
      const stop = subscription.on((payload) =>
        payload ? onNotification(payload) : onReconnect(),
      );
      return { close: async () => stop() };
    },
  };
}
