import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { testLogger } from '@steward/testkit/logs.ts';
import { bareEnvironment, STEWARD } from '@steward/testkit/panel/panel-process.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { TEST_SECRET, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { createTestDatabase, waitForLocks } from '@steward/testkit/postgres/test-database.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../src/platform/database/connect.ts';

/** Longer than the tests take, so that only a signal can end the drain. */
const LONG_DRAIN = { DRAIN_SECONDS: '300' };

describe('SIGTERM', () => {
  it('serves requests while /readyz responds 503, until a second signal', async () => {
    const { env } = await createDatabase();
    const panel = await startPanel({ ...env, ...LONG_DRAIN });
    expect((await panel.get('/readyz')).status).toBe(200);
    const ended = panel.end('SIGTERM');
    await expect.poll(async () => (await panel.get('/readyz')).status).toBe(503);
    expect((await panel.get('/healthz')).status).toBe(200);
    const response = await panel.get('/api/v1/services');
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    // A signal in the first second counts as a duplicate.
    const repeat = setInterval(() => process.kill(panel.pid, 'SIGTERM'), 500);
    onTestFinished(() => clearInterval(repeat));
    expect(await ended).toBe(1);
    clearInterval(repeat);
  });

  it('finishes requests in flight, then exits with 0', async () => {
    const { database, env } = await createDatabase();
    const created = await steward(
      ['license', 'create', '--plan', 'P', '--site-limit', '9', '--json'],
      env,
    );
    const { license_key } = JSON.parse(created.stdout);
    const panel = await startPanel(env);

    // Locks the license row, so the activation is in flight when the signal arrives.
    const holder = await database.pool.connect();
    await holder.query('BEGIN; SELECT 1 FROM licenses FOR UPDATE');
    const request = { license_key, site_url: 'https://slow.example.com', ...VERSIONS };
    const inFlight = panel.post('/api/v1/license/activate', request);
    await waitForLocks(database, 1);
    const ended = panel.end('SIGTERM');
    await waitUntilClosed(new URL(panel.url));
    await holder.query('COMMIT');
    holder.release();

    expect((await inFlight).status).toBe(200);
    expect(await ended).toBe(0);
  });
});

describe('SIGINT', () => {
  it('stops without a drain if it comes from a terminal', async () => {
    const { env } = await createDatabase();
    const terminal = spawn('script', ['-qec', `exec ${STEWARD} serve --port 0`, '/dev/null'], {
      env: { ...bareEnvironment(), ...env, ...LONG_DRAIN },
    });
    onTestFinished(() => void terminal.kill('SIGKILL'));
    const closed = once(terminal, 'close');
    let printed = '';
    terminal.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    await expect.poll(() => printed).toContain('Press Ctrl+C');
    terminal.stdin.write('\x03');
    expect(await closed).toEqual([0, null]);
  });

  it('drains if it comes from a supervisor', async () => {
    const { env } = await createDatabase();
    const panel = await startPanel({ ...env, ...LONG_DRAIN });
    const ended = panel.end('SIGINT');
    await expect.poll(async () => (await panel.get('/readyz')).status).toBe(503);
    await panel.end('SIGKILL');
    await ended;
  });
});

describe('a migration that broke this version while the connection was lost', () => {
  it('stops the process', async () => {
    const { database, env } = await createDatabase();
    const panel = await startPanel(env);
    await database.executeAsTableOwner(
      `INSERT INTO kysely_migration (name, timestamp) VALUES ('9998_drops_a_column', now()::text);
       UPDATE panel_settings SET value = '9998_drops_a_column' WHERE name = 'minimum_migration'`,
    );
    expect((await panel.get('/readyz')).status).toBe(200);
    const superuser = openPool({ connectionString: database.superuserUrl }, testLogger());
    onTestFinished(() => superuser.close());
    await superuser.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'steward' AND pid <> pg_backend_pid()`,
    );
    await expect.poll(() => panel.output.stderr).toContain('can no longer use the database');
    await waitUntilClosed(new URL(panel.url));
    expect(panel.output.stdout).toContain('Stopping…');
  });
});

describe('npm start', () => {
  it('forwards a signal from npm to the panel', async () => {
    const root = join(import.meta.dirname, '../../../..');
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const env = {
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      DATA_DIR: temporaryFolder(),
      PORT: '0',
      LOG_LEVEL: 'warn',
    };
    const npm = spawn('npm', ['start'], { cwd: root, env });
    onTestFinished(() => void npm.kill('SIGKILL'));
    let printed = '';
    npm.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    await expect.poll(() => printed, { timeout: 60_000 }).toContain('running at');
    npm.kill('SIGTERM');
    await once(npm, 'close');
    expect(printed).toContain('Stopping…');
    expect(existsSync(join(env.DATA_DIR, 'postgres/postmaster.pid'))).toBe(false);
  });
});

async function createDatabase() {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const { url, dataDir } = database;
  return { database, env: { DATABASE_URL: url, DATA_DIR: dataDir, SECRET_KEY: TEST_SECRET } };
}

/** Waits until the port is closed. */
async function waitUntilClosed({ hostname, port }: URL) {
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(port), hostname);
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
  while (await isOpen());
}
