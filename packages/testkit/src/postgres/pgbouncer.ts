import { chownSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OWNER_ROLE, RUNTIME_ROLE } from '@steward/panel/database';
import { inject } from 'vitest';
import { startProcessGroup } from '../process-group.ts';
import { SEARCH_PATH } from '../provide/parts.ts';
import { createScratchFolder } from '../scratch-folder.ts';
import { runAs } from './server-account.ts';

const PORT = 6432;

type PoolerOptions = {
  mode?: 'transaction' | 'session';
  /** Sessions per database and role. */
  poolSize?: number;
  /** Start-up options that PgBouncer accepts and ignores. */
  ignores?: string[];
};

/** Starts PgBouncer in front of the shared PostgreSQL. The caller stops it. */
export async function launchPgBouncer(options: PoolerOptions = {}) {
  const { mode = 'transaction', poolSize = 3, ignores = [] } = options;
  const server = inject('postgres');
  // PgBouncer refuses to run as root, and only the account of the server can enter the folder of its socket.
  const account = statSync(server.host);
  const folder = await createScratchFolder('steward-pgbouncer-');
  const users = [OWNER_ROLE, RUNTIME_ROLE].map((role) => `"${role}" ""\n`).join('');
  await writeFile(join(folder, 'users.txt'), users);
  const settings = {
    listen_addr: '',
    listen_port: PORT,
    unix_socket_dir: folder,
    auth_type: 'trust',
    auth_file: join(folder, 'users.txt'),
    pool_mode: mode,
    default_pool_size: poolSize,
    max_client_conn: 500,
    ignore_startup_parameters: ignores.join(','),
    // Changing sessions in turn reveals code that relies on getting the same session again.
    server_round_robin: 1,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  const target = `* = host=${server.host} port=${server.port}`;
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, `[databases]\n${target}\n[pgbouncer]\n${lines.join('')}`);
  chownSync(folder, account.uid, account.gid);
  const pgbouncer = startProcessGroup(runAs(account, ['pgbouncer', file]), {
    logFile: join(folder, 'pgbouncer.log'),
    env: { ...process.env, PATH: SEARCH_PATH },
  });
  await pgbouncer.waitUntilReady((log) => log.includes('process up'));

  return {
    /** Returns the URL of a test database through PgBouncer. */
    urlOf(directUrl: string): string {
      const url = new URL(directUrl);
      url.port = String(PORT);
      url.searchParams.set('host', folder);
      return url.href;
    },
    async stop() {
      await pgbouncer.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
