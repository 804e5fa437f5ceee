import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createPanelDatabase, type PanelDatabase } from '@steward/testkit/panel/panel-database.ts';
import { bareEnvironment, STEWARD } from '@steward/testkit/panel/panel-process.ts';
import { createRestoreTarget } from '@steward/testkit/panel/restored-database.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';

/** The content is large enough to kill a backup in the middle, and cannot be compressed. */
const CHUNKS = 24;
const CHUNK_BYTES = 1024 * 1024;
const PATIENT = { timeout: 300_000 };
const SOON = { timeout: 120_000, interval: 5 };

const source = {} as PanelDatabase;

beforeAll(async () => {
  Object.assign(source, await createPanelDatabase());
  await source.newUser();
  await source.pool.query(
    `INSERT INTO packages (type, slug, name, version, size, sha256, created_at, used_at)
     VALUES ('plugin', 'large/large.php', 'Large', '1.0', $1, 'x', now(), now())`,
    [CHUNKS * CHUNK_BYTES],
  );
  for (let position = 0; position < CHUNKS; position++) {
    await source.pool.query('INSERT INTO package_chunks VALUES (1, $1, $2)', [
      position,
      randomBytes(CHUNK_BYTES),
    ]);
  }
});
afterAll(() => source.drop?.());

/** Starts a command as a process that the test kills. */
function start(args: string[], env: NodeJS.ProcessEnv, program = [STEWARD]) {
  const [command = '', ...rest] = [...program, ...args];
  const child = spawn(command, rest, { env: { ...bareEnvironment(), ...env } });
  const output = { stderr: '' };
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output, exited: once(child, 'exit') };
}

it('a killed backup leaves no file', PATIENT, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'panel.tar');
  const { child, exited } = start(['backup', file], source.env);
  const writtenBytes = () =>
    Math.max(0, ...readdirSync(folder).map((name) => statSync(join(folder, name)).size));
  await expect.poll(writtenBytes, SOON).toBeGreaterThan(1_000_000);
  child.kill('SIGKILL');
  expect((await exited)[1]).toBe('SIGKILL');
  expect(existsSync(file)).toBe(false);
  expect((await steward(['backup', file], source.env)).code).toBe(0);
});

it('a backup that fills the disk leaves no file', PATIENT, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'panel.tar');
  // The limit of the process stands for the full disk: 1024 blocks.
  const limited = ['bash', '-c', `trap '' XFSZ; ulimit -f 1024; exec "$@"`, 'bash', STEWARD];
  const { output, exited } = start(['backup', file], source.env, limited);
  expect((await exited)[0]).toBe(1);
  expect(output.stderr).toContain('No backup was created.');
  expect(readdirSync(folder)).toEqual([]);
});

it('a killed restore leaves an empty panel, and the next one works', PATIENT, async () => {
  const file = join(temporaryFolder(), 'panel.tar');
  expect((await steward(['backup', file], source.env)).stderr).toBe('');
  const target = await createRestoreTarget();
  // Other roles see no progress.
  const superuser = new pg.Client(target.superuserUrl);
  await superuser.connect();
  onTestFinished(() => superuser.end());
  const { child, exited } = start(['restore', file], target.env);
  const copied = async () => {
    const { rows } = await superuser.query(
      'SELECT coalesce(max(bytes_processed), 0) AS bytes FROM pg_stat_progress_copy WHERE datname = current_database()',
    );
    return Number(rows[0].bytes);
  };
  await expect.poll(copied, SOON).toBeGreaterThan(1_000_000);
  child.kill('SIGKILL');
  expect((await exited)[1]).toBe('SIGKILL');
  const users = () => target.pool.query('SELECT FROM users');
  expect((await users()).rowCount).toBe(0);
  const restored = await steward(['restore', file], target.env);
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  expect((await users()).rowCount).toBe(1);
  const chunks = await target.pool.query('SELECT count(*)::int AS n FROM package_chunks');
  expect(chunks.rows).toEqual([{ n: CHUNKS }]);
});
