import { chownSync } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { run } from '../command.ts';
import { startProcessGroup } from '../process-group.ts';
import { findPostgresPrograms } from '../provide/parts.ts';
import { createScratchFolder } from '../scratch-folder.ts';
import { findAccount, runAs } from './server-account.ts';

const PORTS = { primary: 5432, replica: 5433 };
type Server = keyof typeof PORTS;

const SETTINGS = `listen_addresses = ''
fsync = off
max_connections = 200
# A query on the replica never delays the replay for long.
max_standby_streaming_delay = 200ms
`;
const ROLES = `CREATE ROLE steward LOGIN; CREATE ROLE steward_app LOGIN;`;

/** Starts a PostgreSQL of Debian and a streaming replica of it. The caller stops both. */
export async function launchReplicatedPostgres() {
  const programs = findPostgresPrograms();
  const account = findAccount();
  const folder = await createScratchFolder('steward-replica-');
  chownSync(folder, account.uid, account.gid);
  const execute = ([program = '', ...args]: string[]) => {
    const [first = '', ...rest] = runAs(account, [join(programs, program), ...args]);
    return run(first, rest);
  };
  const dataOf = (server: Server) => join(folder, server);
  const urlOf = (server: Server, user: string, database = 'steward') =>
    `postgres://${user}@localhost:${PORTS[server]}/${database}?host=${encodeURIComponent(folder)}`;

  async function start(server: Server) {
    const socket = ['-k', folder, '-p', String(PORTS[server])];
    const command = [join(programs, 'postgres'), '-D', dataOf(server), ...socket];
    const group = startProcessGroup(runAs(account, command), {
      logFile: join(folder, `${server}.log`),
      env: process.env,
    });
    await group.waitUntilReady((log) => log.includes('ready to accept'));
    return group;
  }

  async function query(server: Server, statement: string, database = 'steward') {
    const client = new pg.Client({ connectionString: urlOf(server, 'postgres', database) });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }

  const initdb = ['initdb', '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  await execute([...initdb, '--no-sync', '-D', dataOf('primary')]);
  await appendFile(join(dataOf('primary'), 'postgresql.conf'), SETTINGS);
  const primary = await start('primary');
  await query('primary', ROLES, 'postgres');
  await query('primary', 'CREATE DATABASE steward OWNER steward', 'postgres');
  const source = ['-h', folder, '-p', String(PORTS.primary), '-U', 'postgres'];
  const copy = ['pg_basebackup', ...source, '-D', dataOf('replica'), '-R', '--checkpoint=fast'];
  await execute([...copy, '--no-sync']);
  let replica = await start('replica');

  return {
    urlOf,
    query,
    /** Kills the replica as if its machine had failed. */
    async killReplica() {
      replica.kill('SIGKILL');
      await replica.stop();
    },
    /**
     * Suspends the postmaster: new connections hang. Open connections still work, because each backend has its own
     * process group.
     */
    freezeReplica: () => process.kill(-replica.pid, 'SIGSTOP'),
    thawReplica: () => process.kill(-replica.pid, 'SIGCONT'),
    async startReplica() {
      replica = await start('replica');
    },
    async stop() {
      await Promise.all([primary.stop(), replica.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type ReplicatedPostgres = Awaited<ReturnType<typeof launchReplicatedPostgres>>;
