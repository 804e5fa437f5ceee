import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive } from '../processes.ts';
import { readOrCreateSecretFile } from '../secret-file.ts';
import type { PostgresBinaries } from './binaries.ts';
import type { OsAccount } from './os-account.ts';
import { ACCESS_RULES, OWNER_ROLE, runtimeRoleMark, runtimeRoleStatement } from './roles.ts';

/** A PostgreSQL data directory, and how its server is set up, started and stopped. */
export type Cluster = {
  socketDir: string;
  ownerPassword: string;
  runtimePassword: string;
  initialize(): Promise<void>;
  startServer(): Promise<void>;
  stopServer(): Promise<void>;
};

export const SOCKET_PORT = 5432;
/** The path of a Unix socket has to fit into 104 bytes on macOS, 108 on Linux. */
const LONGEST_SOCKET_DIR = 80;

const ROLE_MARK_FILE = 'steward-role';
const RENEW_SECONDS = 60;
const RETRY_MS = 200;

export const pgDataOf = (dataDir: string) => join(dataDir, 'postgres');

export function openCluster(
  dataDir: string,
  binaries: PostgresBinaries,
  account: OsAccount,
  settings: Record<string, string> = {},
): Cluster {
  const pgData = pgDataOf(dataDir);
  const socketDir = chooseSocketDir(dataDir);
  const ownerPassword = readOrCreateSecretFile(join(dataDir, 'postgres-password'));
  const runtimePassword = readOrCreateSecretFile(join(dataDir, 'postgres-app-password'));
  const roleMark = runtimeRoleMark(runtimePassword);

  const cluster: Cluster = {
    socketDir,
    ownerPassword,
    runtimePassword,

    /** Prepared under another name and renamed when complete: a kill half-way leaves no half. */
    async initialize() {
      removeAbandonedDrafts(dataDir);
      if (existsSync(pgData)) return renew();
      const draft = join(dataDir, `postgres.new-${process.pid}-${randomBytes(4).toString('hex')}`);
      mkdirSync(draft, { mode: 0o700 });
      account.own(draft);
      try {
        await account.run(binaries.initdb, [
          `--pgdata=${draft}`,
          '--username=postgres',
          '--encoding=UTF8',
          '--locale-provider=builtin',
          '--builtin-locale=C.UTF-8',
          '--locale=C',
          '--auth=reject',
          '--no-instructions',
        ]);
        writeFileSync(join(draft, 'postgresql.conf'), "include 'steward.conf'\n", { flag: 'a' });
        writeOwned(join(draft, 'steward.conf'), '', account);
        writeOwned(join(draft, 'pg_hba.conf'), ACCESS_RULES, account);
        await account.run(
          binaries.postgres,
          ['--single', '-D', draft, 'postgres'],
          `CREATE ROLE ${OWNER_ROLE} LOGIN PASSWORD '${ownerPassword}'\nCREATE DATABASE steward OWNER ${OWNER_ROLE}\n${runtimeRoleStatement(runtimePassword)}`,
        );
        writeOwned(join(draft, ROLE_MARK_FILE), roleMark, account);
        renameSync(draft, pgData);
      } catch (error) {
        // Another process that started together with us may have been first.
        if (!existsSync(pgData)) throw error;
      } finally {
        rmSync(draft, { recursive: true, force: true });
      }
    },

    async startServer() {
      prepareSocketDir(socketDir, account);
      writeOwned(join(pgData, 'steward.conf'), serverSettings(socketDir, settings), account);
      await removeVoidLocks(pgData, socketDir, account);
      const log = join(pgData, 'start.log');
      await account.run(binaries.pg_ctl, ['start', '-D', pgData, '-w', '-t', '60', '-l', log]);
    },

    async stopServer() {
      await account.run(binaries.pg_ctl, ['stop', '-D', pgData, '-m', 'fast', '-w', '-t', '60']);
    },
  };
  return cluster;

  /** A cluster that was set up by an earlier version. */
  async function renew(): Promise<void> {
    await renewAccessRules();
    for (const giveUpAt = Date.now() + RENEW_SECONDS * 1000; ; await sleep(RETRY_MS)) {
      if (readIfThere(join(pgData, ROLE_MARK_FILE)) === roleMark) return;
      try {
        return await addRuntimeRole();
      } catch (cause) {
        // Another process may be at it, or have started the server again.
        if (Date.now() > giveUpAt) {
          throw new Error('The embedded database could not be given its new role.', { cause });
        }
      }
    }
  }

  /** Only a superuser may, and only `postgres --single` is one. A server that runs is stopped for it. */
  async function addRuntimeRole(): Promise<void> {
    await cluster.stopServer().catch(() => {});
    await removeVoidLocks(pgData, socketDir, account);
    const statement = runtimeRoleStatement(runtimePassword);
    await account.run(binaries.postgres, ['--single', '-D', pgData, 'postgres'], statement);
    writeOwned(join(pgData, ROLE_MARK_FILE), roleMark, account);
  }

  /** In clusters of earlier versions, the superuser signs in with the password of the panel's role. */
  async function renewAccessRules(): Promise<void> {
    const path = join(pgData, 'pg_hba.conf');
    if (readIfThere(path) === ACCESS_RULES) return;
    writeOwned(path, ACCESS_RULES, account);
    // A server that is not running reads them when it starts.
    await account.run(binaries.pg_ctl, ['reload', '-D', pgData]).catch(() => {});
  }
}

function chooseSocketDir(dataDir: string): string {
  const inside = join(dataDir, 'run');
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET_DIR) return inside;
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  // Not the temporary folder of the environment: every process has to look in the same place.
  return join('/tmp', `steward-${name}`);
}

/** Whoever can write into the folder could put a socket of his own there, so it must be ours alone. */
function prepareSocketDir(socketDir: string, account: OsAccount): void {
  try {
    mkdirSync(socketDir, { mode: 0o700 });
    account.own(socketDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // In the data directory it is ours to set right; in /tmp a stranger may have been first.
    if (dirname(socketDir) !== '/tmp') account.own(socketDir);
  }
  const found = lstatSync(socketDir);
  if (!found.isDirectory() || found.uid !== account.uid || (found.mode & 0o077) !== 0) {
    throw new Error(`${socketDir} is not ours alone. Remove it; it is made anew.`);
  }
}

function serverSettings(socketDir: string, extra: Record<string, string>): string {
  const settings = {
    // Reached through a socket that only the panel's account may enter; no port, no conflict.
    listen_addresses: '',
    port: String(SOCKET_PORT),
    // A list: quoted, so that a comma is part of the name.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    // One log file for each day of the week, each overwritten a week later.
    logging_collector: 'on',
    log_filename: 'postgresql-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_age: '1d',
    log_rotation_size: '0',
    // A statement may hold what must not be logged.
    log_min_error_statement: 'panic',
    ...extra,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'\n`)
    .join('');
}

function writeOwned(path: string, content: string, account: OsAccount): void {
  writeFileSync(path, content, { mode: 0o600 });
  account.own(path);
}

function removeAbandonedDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = /^postgres\.new-(\d+)-/.exec(name)?.[1];
    const isOfThisProcess = Number(pid) === process.pid; // of an earlier one with the same number
    if (pid !== undefined && (isOfThisProcess || !isProcessAlive(Number(pid)))) {
      rmSync(join(dataDir, name), { recursive: true, force: true });
    }
  }
}

/**
 * PostgreSQL's lock files name a process. After a restart of the machine or container the number may
 * by chance belong to another program, and where nobody collects dead processes the server's own
 * corpse keeps it; PostgreSQL would then refuse to start for ever.
 */
async function removeVoidLocks(
  pgData: string,
  socketDir: string,
  account: OsAccount,
): Promise<void> {
  for (const lockFile of [
    join(pgData, 'postmaster.pid'),
    join(socketDir, `.s.PGSQL.${SOCKET_PORT}.lock`),
  ]) {
    const content = readIfThere(lockFile);
    // A process that is gone PostgreSQL recognises by itself.
    // A negative number is that of a server in single-user mode.
    if (content === null || !isProcessAlive(Math.abs(Number.parseInt(content, 10)))) continue;
    if (await isAtWork(pgData, account)) return;
    removeIfUnchanged(lockFile, content);
  }
}

/**
 * A server, or a leftover of one, has the data directory as its current folder. Asked as the account
 * it runs as: others, and root in a container too, may not be told. True where the system has no
 * /proc to ask.
 */
async function isAtWork(pgData: string, account: OsAccount): Promise<boolean> {
  const script = `
    [ -d /proc/self ] || exit 0
    for cwd in /proc/[0-9]*/cwd; do [ "$(readlink "$cwd")" = "$1" ] && exit 0; done
    echo nobody`;
  // Only a clear no counts; a question that could not be asked is no answer.
  const answer = await account
    .run('sh', ['-c', script, 'sh', realpathSync(pgData)])
    .catch(() => '');
  return answer.trim() !== 'nobody';
}

/** Another process may have put a lock of its own there since we looked; that one stays. */
function removeIfUnchanged(lockFile: string, content: string): void {
  const aside = `${lockFile}.${process.pid}.void`;
  renameSync(lockFile, aside);
  if (readIfThere(aside) !== content) linkSync(aside, lockFile);
  rmSync(aside);
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
