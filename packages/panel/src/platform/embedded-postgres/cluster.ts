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

/** A PostgreSQL data directory and the operations on its server. */
export type Cluster = {
  socketDir: string;
  ownerPassword: string;
  runtimePassword: string;
  initialize(): Promise<void>;
  startServer(): Promise<void>;
  stopServer(): Promise<void>;
};

export const SOCKET_PORT = 5432;
/** The path of a Unix socket must fit into 104 bytes on macOS and 108 on Linux. */
const MAX_SOCKET_DIR_BYTES = 80;

const ROLE_MARK_FILE = 'steward-role';
const UPGRADE_SECONDS = 60;
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

    /** Creates a draft and renames it when complete: a killed process leaves no partial cluster. */
    async initialize() {
      removeAbandonedDrafts(dataDir);
      if (existsSync(pgData)) return upgrade();
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
        // Another process may have created it at the same time.
        if (!existsSync(pgData)) throw error;
      } finally {
        rmSync(draft, { recursive: true, force: true });
      }
    },

    async startServer() {
      prepareSocketDir(socketDir, account);
      writeOwned(join(pgData, 'steward.conf'), serverSettings(socketDir, settings), account);
      await removeStaleLocks(pgData, socketDir, account);
      const log = join(pgData, 'start.log');
      await account.run(binaries.pg_ctl, ['start', '-D', pgData, '-w', '-t', '60', '-l', log]);
    },

    async stopServer() {
      await account.run(binaries.pg_ctl, ['stop', '-D', pgData, '-m', 'fast', '-w', '-t', '60']);
    },
  };
  return cluster;

  /** Upgrades a cluster of an earlier version of Steward. */
  async function upgrade(): Promise<void> {
    await updateAccessRules();
    for (const giveUpAt = Date.now() + UPGRADE_SECONDS * 1000; ; await sleep(RETRY_MS)) {
      if (readIfExists(join(pgData, ROLE_MARK_FILE)) === roleMark) return;
      try {
        return await addRuntimeRole();
      } catch (cause) {
        // Another process may do the same, or have restarted the server.
        if (Date.now() > giveUpAt) {
          throw new Error('Could not add the new role to the embedded database.', { cause });
        }
      }
    }
  }

  /** Needs a superuser, so it stops the server and uses `postgres --single`. */
  async function addRuntimeRole(): Promise<void> {
    await cluster.stopServer().catch(() => {});
    await removeStaleLocks(pgData, socketDir, account);
    const statement = runtimeRoleStatement(runtimePassword);
    await account.run(binaries.postgres, ['--single', '-D', pgData, 'postgres'], statement);
    writeOwned(join(pgData, ROLE_MARK_FILE), roleMark, account);
  }

  /** Earlier versions let the superuser sign in with the password of the panel's role. */
  async function updateAccessRules(): Promise<void> {
    const path = join(pgData, 'pg_hba.conf');
    if (readIfExists(path) === ACCESS_RULES) return;
    writeOwned(path, ACCESS_RULES, account);
    // A stopped server reads the rules when it starts.
    await account.run(binaries.pg_ctl, ['reload', '-D', pgData]).catch(() => {});
  }
}

function chooseSocketDir(dataDir: string): string {
  const inside = join(dataDir, 'run');
  if (Buffer.byteLength(inside) <= MAX_SOCKET_DIR_BYTES) return inside;
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  // Not TMPDIR: every process must use the same directory.
  return join('/tmp', `steward-${name}`);
}

/** Only this account may write to the directory: another user could place a fake socket there. */
function prepareSocketDir(socketDir: string, account: OsAccount): void {
  try {
    mkdirSync(socketDir, { mode: 0o700 });
    account.own(socketDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Fixes the owner within the data directory only: in /tmp another user may have created it.
    if (dirname(socketDir) !== '/tmp') account.own(socketDir);
  }
  const found = lstatSync(socketDir);
  if (!found.isDirectory() || found.uid !== account.uid || (found.mode & 0o077) !== 0) {
    throw new Error(
      `Other users can access ${socketDir}. Delete it and try again; Steward creates it again.`,
    );
  }
}

function serverSettings(socketDir: string, extra: Record<string, string>): string {
  const settings = {
    // Only through a socket that the panel's account can access; no TCP port, so no port conflict.
    listen_addresses: '',
    port: String(SOCKET_PORT),
    // The setting is a list; quotes keep a comma as part of the name.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    // One log file per weekday, overwritten after a week.
    logging_collector: 'on',
    log_filename: 'postgresql-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_age: '1d',
    log_rotation_size: '0',
    // A statement may contain secrets.
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
    const hasOwnPid = Number(pid) === process.pid; // left by an earlier process with the same PID
    if (pid !== undefined && (hasOwnPid || !isProcessAlive(Number(pid)))) {
      rmSync(join(dataDir, name), { recursive: true, force: true });
    }
  }
}

/**
 * PostgreSQL's lock files contain a PID. After a restart of the machine or container the PID may belong to
 * another program, and a container without an init process keeps the dead server as a zombie. PostgreSQL
 * would then refuse to start forever.
 */
async function removeStaleLocks(
  pgData: string,
  socketDir: string,
  account: OsAccount,
): Promise<void> {
  for (const lockFile of [
    join(pgData, 'postmaster.pid'),
    join(socketDir, `.s.PGSQL.${SOCKET_PORT}.lock`),
  ]) {
    const content = readIfExists(lockFile);
    // PostgreSQL itself ignores the lock of a dead process. A server in single-user mode writes a
    // negative PID.
    if (content === null || !isProcessAlive(Math.abs(Number.parseInt(content, 10)))) continue;
    if (await isServerRunning(pgData, account)) return;
    removeIfUnchanged(lockFile, content);
  }
}

/**
 * A server process has the data directory as its current directory. The check runs as the server's
 * account, because other accounts, even root in a container, may not read that. True without /proc.
 */
async function isServerRunning(pgData: string, account: OsAccount): Promise<boolean> {
  const script = `
    [ -d /proc/self ] || exit 0
    for cwd in /proc/[0-9]*/cwd; do [ "$(readlink "$cwd")" = "$1" ] && exit 0; done
    echo none`;
  // If the check fails, assume a running server.
  const output = await account
    .run('sh', ['-c', script, 'sh', realpathSync(pgData)])
    .catch(() => '');
  return output.trim() !== 'none';
}

/** Keeps a new lock that another process may have written since the check. */
function removeIfUnchanged(lockFile: string, content: string): void {
  const aside = `${lockFile}.${process.pid}.void`;
  renameSync(lockFile, aside);
  if (readIfExists(aside) !== content) linkSync(aside, lockFile);
  rmSync(aside);
}

function readIfExists(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
