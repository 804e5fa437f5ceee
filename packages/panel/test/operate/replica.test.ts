import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { registerSecret } from '@steward/testkit/logs.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { launchPanel, type PanelProcess } from '@steward/testkit/panel/panel-process.ts';
import { scrapeMetrics } from '@steward/testkit/panel/scrape-metrics.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import {
  launchReplicatedPostgres,
  type ReplicatedPostgres,
} from '@steward/testkit/postgres/replicated-postgres.ts';
import { showTables } from '@steward/testkit/postgres/show-tables.ts';
import { scratchRoot } from '@steward/testkit/scratch-folder.ts';
import { startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/platform/config.ts';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { createReadDatabase } from '../../src/platform/database/replica.ts';
import { createLogger } from '../../src/platform/logger.ts';

const LISTS = [
  '/panel/sites',
  '/panel/sites?search=shop&sort=name',
  '/panel/sites/1',
  '/panel/sites/1/history',
  '/panel/sites/1/versions',
  '/panel/sites/1/version-changes',
  '/panel/software',
  '/panel/software/item?type=plugin&slug=shop%2Fshop.php',
  '/panel/runs',
  '/panel/audit',
  '/panel/audit?text=license',
  '/panel/audit/export?format=csv',
  '/panel/licenses',
  '/panel/overview',
];
const NOT_USED = /"The replica is not used\. Lists come from the primary\."/g;
const LICENSE = { plan: 'Agency', site_limit: 5, expires_at: null };

let postgres: ReplicatedPostgres;
let panel: PanelProcess;
let fleet: Awaited<ReturnType<typeof startFleet>>;
let owner: Awaited<ReturnType<typeof signInAt>>;
const dataDir = join(scratchRoot(), `steward-replica-panel-${process.pid}`);
const env: NodeJS.ProcessEnv = {
  DATA_DIR: dataDir,
  SECRET_KEY: TEST_SECRET,
  METRICS_PORT: '0',
  ALLOW_PRIVATE_SITES: 'true',
};

beforeAll(async () => {
  postgres = await launchReplicatedPostgres();
  env.DATABASE_URL = postgres.urlOf('primary', 'steward_app');
  env.MIGRATION_DATABASE_URL = postgres.urlOf('primary', 'steward');
  env.DATABASE_REPLICA_URL = postgres.urlOf('replica', 'steward_app');
  const email = 'owner@example.com';
  const created = await steward(
    ['user', 'create', '--email', email, '--role', 'owner', '--json'],
    env,
  );
  panel = await launchPanel(env, { args: ['--role', 'web'] });
  owner = await signInAt(panel.url, { email, password: JSON.parse(created.stdout).password });
  fleet = await startFleet(panel.url, (await createLicense()).license_key);
  await fleet.add('shop');
});

afterAll(async () => {
  await fleet?.stop();
  await panel?.end('SIGTERM');
  await postgres?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The list queries that each database has answered so far. */
async function readSources(): Promise<{ replica: number; primary: number }> {
  const { value } = await scrapeMetrics(await panel.metricsUrl());
  const read = (source: string) => value(`steward_list_queries_total{source="${source}"}`) ?? 0;
  return { replica: read('replica'), primary: read('primary') };
}

/** Reads lists until the replica answers them. A paused replica is tried again after some seconds. */
async function waitForReplica(): Promise<void> {
  const { replica } = await readSources();
  await expect
    .poll(
      async () => {
        await owner.get('/panel/licenses');
        return (await readSources()).replica;
      },
      { interval: 200 },
    )
    .toBeGreaterThan(replica);
}

const countLogLines = (pattern: RegExp) => [...panel.output.stderr.matchAll(pattern)].length;

async function createLicense(): Promise<{ id: number; license_key: string }> {
  const { status, body } = await owner.post('/panel/licenses', LICENSE);
  expect([status, body.message]).toEqual([200, undefined]);
  registerSecret(body.license.license_key);
  return body.license;
}

async function listLicenseIds(): Promise<number[]> {
  const { body } = await owner.get('/panel/licenses?limit=100');
  return body.licenses.map(({ id }: { id: number }) => id);
}

describe('a panel with DATABASE_REPLICA_URL', () => {
  it.each(LISTS)('GET %s reads from the replica', async (path) => {
    const readsOnlyFromReplica = async () => {
      const before = await readSources();
      expect((await owner.get(path)).status).toBe(200);
      const after = await readSources();
      return after.replica > before.replica && after.primary === before.primary;
    };
    // On a busy machine, the replica can be late once.
    await expect.poll(readsOnlyFromReplica).toBe(true);
  });

  it('chooses the sites of a run from the primary', async () => {
    await waitForReplica();
    const before = await readSources();
    expect((await owner.get('/panel/sites/ids')).body.site_ids).toHaveLength(1);
    expect(await readSources()).toEqual(before);
  });

  it('shows each change in the next list', async () => {
    const before = await readSources();
    for (let index = 0; index < 20; index++) {
      const { id } = await createLicense();
      expect(await listLicenseIds()).toContain(id);
    }
    expect((await readSources()).replica).toBeGreaterThan(before.replica);
  });

  it('reads from the primary while the replica is behind, and logs it once', async () => {
    await waitForReplica();
    const lines = countLogLines(NOT_USED);
    const before = await readSources();
    await postgres.query('replica', 'SELECT pg_wal_replay_pause()');
    try {
      for (let index = 0; index < 5; index++) {
        const { id } = await createLicense();
        expect(await listLicenseIds()).toContain(id);
      }
      const after = await readSources();
      expect(after.replica).toBe(before.replica);
      expect(after.primary).toBeGreaterThan(before.primary);
      expect(countLogLines(NOT_USED)).toBe(lines + 1);
    } finally {
      await postgres.query('replica', 'SELECT pg_wal_replay_resume()');
    }
    await waitForReplica();
    expect(countLogLines(/"The replica is used again\."/g)).toBeGreaterThan(0);
  });

  it('answers every request while the replica is killed', async () => {
    await waitForReplica();
    const lines = countLogLines(NOT_USED);
    const statuses: number[] = [];
    let isKilled = false;
    const read = async (path: string) => {
      while (!isKilled) statuses.push((await owner.get(path)).status);
      // The connections that the kill has broken are used once more.
      statuses.push((await owner.get(path)).status);
    };
    const readers = LISTS.map(read);
    await expect.poll(() => statuses.length).toBeGreaterThan(20);
    await postgres.killReplica();
    isKilled = true;
    await Promise.all(readers);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(countLogLines(NOT_USED)).toBe(lines + 1);
    await postgres.startReplica();
    await waitForReplica();
  });

  it('answers every request while the replica hangs', async () => {
    await waitForReplica();
    postgres.freezeReplica();
    try {
      const responses = await Promise.all(LISTS.map((path) => owner.get(path)));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    } finally {
      postgres.thawReplica();
    }
    await waitForReplica();
  });
});

describe('the database for lists', () => {
  async function connect(settings: NodeJS.ProcessEnv = {}) {
    const lines: string[] = [];
    const log = createLogger('trace', { write: (line) => lines.push(line) });
    const connection = await connectDatabase(loadConfig({ ...env, ...settings }), log);
    onTestFinished(connection.close);
    return { ...connection, readLog: () => lines.join('') };
  }

  it('repeats a query on the primary if the recovery cancels it', async () => {
    const { readDb, readLog } = await connect();
    const usesReplica = async () => {
      const { rows } = await sql`SELECT pg_is_in_recovery() AS recovers`.execute(readDb);
      return rows;
    };
    await expect.poll(usesReplica).toEqual([{ recovers: true }]);
    const slow = sql<{ recovers: boolean }>`
      SELECT pg_is_in_recovery() AS recovers, count(*), pg_sleep(2) FROM users`.execute(readDb);
    const isRunning = `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE query LIKE '%pg_sleep(2)%' AND usename = 'steward_app'`;
    await expect.poll(async () => (await postgres.query('replica', isRunning))[0].count).toBe(1);
    await postgres.query('primary', 'BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE; COMMIT');
    expect((await slow).rows).toMatchObject([{ recovers: false }]);
    // One cancelled query is no reason to stop using the replica.
    expect(readLog()).not.toContain('conflict');
    await expect.poll(usesReplica).toEqual([{ recovers: true }]);
  });

  it.each(['on', 'off'])('is never stale with synchronous_commit = %s', async (mode) => {
    await postgres.query('primary', `ALTER ROLE steward_app SET synchronous_commit = ${mode}`);
    const { db, readDb } = await connect();
    const name = `test_${mode}`;
    for (let index = 0; index < 50; index++) {
      const value = String(index);
      await showTables(db)
        .insertInto('panel_settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
      const settings = showTables(readDb).selectFrom('panel_settings');
      const read = settings.select('value').where('name', '=', name);
      expect(await read.executeTakeFirst()).toEqual({ value });
    }
  });

  it('refuses transactions and changes', async () => {
    const { readDb } = await connect();
    const change = showTables(readDb).deleteFrom('panel_settings').execute();
    await expect(change).rejects.toThrow(/only accepts single queries/);
    const transaction = readDb.transaction().execute(async () => {});
    await expect(transaction).rejects.toThrow(/only accepts single queries/);
  });

  it.each([
    ['the primary', () => postgres.urlOf('primary', 'steward_app')],
    ['another database', () => postgres.urlOf('replica', 'steward_app', 'postgres')],
  ])('does not read from %s in place of a replica', async (_, urlOf) => {
    const { readDb, readLog } = await connect({ DATABASE_REPLICA_URL: urlOf() });
    const { rows } = await sql`SELECT current_database() AS name`.execute(readDb);
    expect(rows).toEqual([{ name: 'steward' }]);
    expect(readLog()).toContain('does not lead to a streaming replica of DATABASE_URL');
  });

  it('is checked at start and by doctor', async () => {
    const settings = { DATABASE_REPLICA_URL: postgres.urlOf('primary', 'steward_app') };
    const started = await startPanel({ ...env, ...settings }, undefined, ['--role', 'web']);
    const reason = 'DATABASE_REPLICA_URL does not lead to a streaming replica of DATABASE_URL.';
    const lines = started.output.stderr.split('\n').filter((line) => line.includes(reason));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(NOT_USED);

    const check = (settings = {}) => steward(['doctor'], { ...env, ...settings });
    const { code, stdout } = await check(settings);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(`\nThe replica cannot be used: ${reason}\n`),
    ]);
    // The error of a name with two addresses has no message.
    const closed = { DATABASE_REPLICA_URL: 'postgres://steward_app@localhost:1/steward' };
    expect(await check(closed)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('The replica cannot be used: '),
    });
    // On a busy machine, the replica can be late for longer than the command tries.
    await expect.poll(async () => (await check()).code).toBe(0);
  });

  it.each([
    ['does not exist', () => 'postgres://steward_app@localhost:1/steward?host=/nowhere'],
    ['does not know the role', () => postgres.urlOf('replica', 'unknown_role')],
  ])('does not depend on a replica that %s', async (_, urlOf) => {
    const { readDb, readLog } = await connect({ DATABASE_REPLICA_URL: urlOf() });
    for (let index = 0; index < 3; index++) {
      expect((await sql`SELECT 1 AS one`.execute(readDb)).rows).toEqual([{ one: 1 }]);
    }
    expect(countLines(readLog())).toBe(1);
  });
});

const countLines = (text: string) => text.split('\n').filter(Boolean).length;

describe('after a failover', () => {
  it('does not read from a replica of another timeline, nor from one that is ahead', async () => {
    const other = await launchReplicatedPostgres();
    onTestFinished(other.stop);
    const primary = new pg.Pool({ connectionString: other.urlOf('primary', 'steward_app') });
    const replica = new pg.Pool({ connectionString: other.urlOf('replica', 'steward_app') });
    onTestFinished(async () => {
      await Promise.all([primary.end(), replica.end()]);
    });
    const lines: string[] = [];
    const log = createLogger('trace', { write: (line) => lines.push(line) });
    const readFrom = async (server: pg.Pool) => {
      const { db } = createReadDatabase({ primary: server, replica }, log);
      const { rows } = await sql`SELECT pg_is_in_recovery() AS recovers`.execute(db);
      return rows;
    };
    await expect.poll(() => readFrom(primary)).toEqual([{ recovers: true }]);

    /** The primary, as it would respond with another position. */
    const withPosition = (change: (row: Record<string, unknown>) => object) =>
      ({
        async query(text: string, values?: unknown[]) {
          const result = await primary.query(text, values);
          return { ...result, rows: result.rows.map((row) => ({ ...row, ...change(row) })) };
        },
      }) as unknown as pg.Pool;
    const promoted = withPosition(({ timeline }) => (timeline ? { timeline: '00000002' } : {}));
    expect(await readFrom(promoted)).toEqual([{ recovers: false }]);
    expect(lines.join('')).toContain('does not follow the current timeline');
    const restored = withPosition(({ position, has_written }) => ({
      ...(position ? { position: '0/1' } : {}),
      ...(has_written === undefined ? {} : { has_written: false }),
    }));
    expect(await readFrom(restored)).toEqual([{ recovers: false }]);
    expect(lines.join('')).toContain('ahead of the primary');
  });
});
