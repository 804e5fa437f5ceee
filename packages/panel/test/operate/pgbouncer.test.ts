import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { testLogger } from '@steward/testkit/logs.ts';
import { followRun } from '@steward/testkit/panel/event-stream.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { createPanelDatabase } from '@steward/testkit/panel/panel-database.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel, startWorker } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { expectFailure } from '@steward/testkit/panel/use-command-line.ts';
import { launchPgBouncer } from '@steward/testkit/postgres/pgbouncer.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { createInBatches, startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/platform/config.ts';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { BASELINE } from '../../src/platform/database/replaced-migrations.ts';

const SITES = 12;
/** Far fewer than the panel and the worker have connections. */
const POOL_SIZE = 2;
const STARTUP_OPTIONS = ['options', 'statement_timeout', 'idle_in_transaction_session_timeout'];
const RESPOND_ASYNC = { headers: { prefer: 'respond-async' } };

async function startPgBouncer(options: Parameters<typeof launchPgBouncer>[0] = {}) {
  const pgbouncer = await launchPgBouncer({ poolSize: POOL_SIZE, ...options });
  onTestFinished(() => pgbouncer.stop());
  return pgbouncer;
}

/** Creates a panel database, with its pooled and its direct address. */
async function usePooledDatabase() {
  const database = await usePanelDatabase();
  const pgbouncer = await startPgBouncer();
  const pooledUrl = pgbouncer.urlOf(database.url);
  const env = { ...database.env, DATABASE_URL: pooledUrl, DATABASE_DIRECT_URL: database.url };
  return { ...database, pooledUrl, env };
}

describe('behind PgBouncer in transaction mode', () => {
  it('a panel and a worker serve sites, sign-ins, live runs, schedules and commands', {
    timeout: 300_000,
  }, async () => {
    const database = await usePooledDatabase();
    const folder = temporaryFolder();
    const env = { ...database.env, BACKUP_FOLDER: folder, SITE_CALLS_PER_ADDRESS: '20' };
    const panel = await startPanel(env, undefined, ['--role', 'web']);
    expect(panel.output.stderr).toContain('The role of DATABASE_URL has no statement_timeout.');
    await startWorker(env);

    const { license_key } = await database.newLicense({ siteLimit: 2 * SITES });
    const fleet = await startFleet(panel.url, license_key);
    onTestFinished(() => fleet.stop());
    await createInBatches(SITES, (index) => fleet.add(`s${index}`));
    const call = (action: string) => (site_url: string) =>
      panel.post(`/api/v1/license/${action}`, { license_key, site_url, ...VERSIONS });
    const urls = Array.from({ length: SITES }, (_, index) => `https://s${index}.example.com`);
    for (const action of ['activate', 'check', 'check', 'deactivate']) {
      const statuses = (await Promise.all(urls.map(call(action)))).map(({ status }) => status);
      expect([action, ...new Set(statuses)]).toEqual([action, 200]);
    }

    const owner = await signInAt(panel.url, await database.newUser());
    const site_ids = Array.from({ length: SITES }, (_, index) => index + 1);
    const { body } = await owner.post('/remote/update', { site_ids }, RESPOND_ASYNC);
    const stream = await followRun(panel.url, body.run_id, owner);
    const events = await stream.all();
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { run_id: body.run_id } });
    const run = (await owner.get(`/panel/runs/${body.run_id}`)).body;
    expect(run.counts).toEqual({ succeeded: SITES });

    // Both processes listen and hold the lock of the panel on the direct address, and only there.
    const sessions = await readSessions(database.superuserUrl);
    expect(sessions.filter(({ listens }) => listens)).toHaveLength(2);
    // Transactions of the queue hold advisory locks for a moment.
    const countLockHolders = async () =>
      (await readSessions(database.superuserUrl)).filter(({ locks }) => locks > 0).length;
    await expect.poll(countLockHolders).toBe(2);
    const restored = await steward(['restore', await createBackup(env)], env);
    expectFailure(restored, /A panel is running on this database/);

    // The scheduled backup is a job that pg-boss starts each minute.
    await expect
      .poll(() => readdirSync(folder), { timeout: 100_000, interval: 500 })
      .toContainEqual(expect.stringMatching(/^steward-.*Z\.tar$/));
    expect(await countPreparedStatements(database.pooledUrl)).toBe(0);
  });

  it('transactions have the timeouts that a pooled connection cannot have', async () => {
    const { env } = await usePooledDatabase();
    const { db, close } = await connectDatabase(loadConfig(env), testLogger());
    onTestFinished(close);
    const readTimeouts = async (connection: typeof db) => {
      const { rows } = await sql`SELECT current_setting('statement_timeout') AS statement,
        current_setting('idle_in_transaction_session_timeout') AS idle`.execute(connection);
      return rows[0];
    };
    const inTransaction = await db.transaction().execute(readTimeouts);
    // Two thirds of the lease of ten seconds.
    expect(inTransaction).toEqual({ statement: '30s', idle: '6666ms' });
    // The next client of the session does not inherit them.
    expect(await readTimeouts(db)).toEqual({ statement: '0', idle: '0' });
  });

  it('steward migrate sets up a new database', async () => {
    const database = await createTestDatabase({ empty: true });
    onTestFinished(() => database.drop());
    const pgbouncer = await startPgBouncer();
    const env = {
      DATABASE_URL: pgbouncer.urlOf(database.runtimeUrl),
      DATABASE_DIRECT_URL: database.runtimeUrl,
      MIGRATION_DATABASE_URL: database.ownerUrl,
      DATA_DIR: database.dataDir,
    };
    expect((await steward(['migrate'], env)).stdout).toContain(`Applied migration ${BASELINE}`);
    expect((await steward(['migrate'], env)).stdout).toBe('The database is up to date.\n');
  });
});

describe('a pooled address in the wrong setting', () => {
  const list = (env: NodeJS.ProcessEnv) => steward(['license', 'list'], env);

  it('is refused without DATABASE_DIRECT_URL', async () => {
    const { env } = await usePooledDatabase();
    const { DATABASE_DIRECT_URL: _, ...withoutDirect } = env;
    expectFailure(
      await list(withoutDirect),
      /DATABASE_URL leads to a connection pooler \(unsupported startup parameter: .*\)\. Set DATABASE_DIRECT_URL/,
    );
  });

  it('is refused if PgBouncer ignores the start-up options; session pooling is accepted', async () => {
    const database = await usePanelDatabase();
    const urlAt = async (mode: 'transaction' | 'session') =>
      (await startPgBouncer({ mode, ignores: STARTUP_OPTIONS, poolSize: 5 })).urlOf(database.url);
    const transactions = { ...database.env, DATABASE_URL: await urlAt('transaction') };
    expectFailure(
      await list(transactions),
      /DATABASE_URL leads to a connection pooler \(transaction pooling\)\. Set DATABASE_DIRECT_URL/,
    );
    expectFailure(
      await list({ ...transactions, DATABASE_DIRECT_URL: transactions.DATABASE_URL }),
      /DATABASE_DIRECT_URL leads to a connection pooler \(transaction pooling\)\. Set it to/,
    );
    const sessions = { ...database.env, DATABASE_URL: await urlAt('session') };
    expect(await list(sessions)).toMatchObject({ code: 0, stderr: '' });
  });

  it('is refused as MIGRATION_DATABASE_URL', async () => {
    const database = await createTestDatabase({ empty: true });
    onTestFinished(() => database.drop());
    const pgbouncer = await startPgBouncer({ ignores: STARTUP_OPTIONS });
    const env = {
      DATABASE_URL: database.runtimeUrl,
      MIGRATION_DATABASE_URL: pgbouncer.urlOf(database.ownerUrl),
      DATA_DIR: database.dataDir,
    };
    expectFailure(await steward(['migrate'], env), /^steward: MIGRATION_DATABASE_URL leads to/);
  });

  it('is refused if the direct address leads to another database', async () => {
    const { env } = await usePooledDatabase();
    const other = await createPanelDatabase();
    onTestFinished(() => other.drop());
    expectFailure(
      await list({ ...env, DATABASE_DIRECT_URL: other.url }),
      /DATABASE_URL and DATABASE_DIRECT_URL lead to different databases/,
    );
  });
});

async function createBackup(env: NodeJS.ProcessEnv): Promise<string> {
  const file = join(temporaryFolder(), 'panel.tar');
  expect((await steward(['backup', file], env)).code).toBe(0);
  expect((await steward(['backup', '--verify', file], env)).stdout).toContain('is complete');
  return file;
}

/** The sessions of the panel in PostgreSQL: whether they listen, and how many locks of a session they hold. */
async function readSessions(url: string): Promise<{ listens: boolean; locks: number }[]> {
  return query(
    url,
    `SELECT query LIKE 'LISTEN %' AS listens,
       (SELECT count(*)::int FROM pg_locks l WHERE l.pid = a.pid AND locktype = 'advisory') AS locks
     FROM pg_stat_activity a WHERE datname = current_database() AND application_name = 'steward'`,
  );
}

/** Counts the prepared statements in all sessions of the pooler, which gives each query the next session. */
async function countPreparedStatements(url: string): Promise<number> {
  let count = 0;
  for (let session = 0; session < POOL_SIZE * 2; session++) {
    const [row] = await query<{ count: number }>(
      url,
      'SELECT count(*)::int AS count FROM pg_prepared_statements',
    );
    count += row?.count ?? 0;
  }
  return count;
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
