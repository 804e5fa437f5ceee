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
import { ACCESS_RULES, OWNER_ROLE, runtimeRoleMarker, runtimeRoleStatement } from './roles.ts';

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

/** Exists after the runtime role was added, and contains a hash of its password. */
const RUNTIME_ROLE_MARKER_FILE = 'steward-role';
/** Longer than two attempts to stop a server on a slow disk. */
const UPGRADE_SECONDS = 180;
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
  const roleMarker = runtimeRoleMarker(runtimePassword);

  const cluster: Cluster = {
    socketDir,
    ownerPassword,
    runtimePassword,

    /** Creates a temporary directory and renames it when complete: a killed process leaves no partial cluster. */
    async initialize() {
      removeAbandonedDirs(dataDir);
      if (existsSync(pgData)) return upgrade();
      const temporaryDir = join(
        dataDir,
        `postgres.new-${process.pid}-${randomBytes(4).toString('hex')}`,
      );
      mkdirSync(temporaryDir, { mode: 0o700 });
      account.own(temporaryDir);
      try {
        await account.run(binaries.initdb, [
          `--pgdata=${temporaryDir}`,
          '--username=postgres',
          '--encoding=UTF8',
          '--locale-provider=builtin',
          '--builtin-locale=C.UTF-8',
          '--locale=C',
          '--auth=reject',
          '--no-instructions',
        ]);
        writeFileSync(join(temporaryDir, 'postgresql.conf'), "include 'steward.conf'\n", {
          flag: 'a',
        });
        writeOwned(join(temporaryDir, 'steward.conf'), '', account);
        writeOwned(join(temporaryDir, 'pg_hba.conf'), ACCESS_RULES, account);
        await account.run(
          binaries.postgres,
          ['--single', '-D', temporaryDir, 'postgres'],
          `CREATE ROLE ${OWNER_ROLE} LOGIN PASSWORD '${ownerPassword}'\nCREATE DATABASE steward OWNER ${OWNER_ROLE}\n${runtimeRoleStatement(runtimePassword)}`,
        );
        writeOwned(join(temporaryDir, RUNTIME_ROLE_MARKER_FILE), roleMarker, account);
        renameSync(temporaryDir, pgData);
      } catch (error) {
        // Another process may have created it at the same time.
        if (!existsSync(pgData)) throw error;
      } finally {
        rmSync(temporaryDir, { recursive: true, force: true });
      }
    },

    async startServer() {
      prepareSocketDir(socketDir, account);
      writeOwned(join(pgData, 'steward.conf'), formatServerSettings(socketDir, settings), account);
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
    for (const deadline = Date.now() + UPGRADE_SECONDS * 1000; ; await sleep(RETRY_MS)) {
      if (readIfExists(join(pgData, RUNTIME_ROLE_MARKER_FILE)) === roleMarker) return;
      try {
        return await addRuntimeRole();
      } catch (cause) {
        // Another process may be adding the role, or may have restarted the server.
        if (Date.now() > deadline) {
          throw new Error(
            'Could not add the runtime role to the embedded database. Stop other Steward processes and try again.',
            { cause },
          );
        }
      }
    }
  }

  /** Stops the server and uses `postgres --single`, because adding a role needs superuser rights. */
  async function addRuntimeRole(): Promise<void> {
    await cluster.stopServer().catch(() => {});
    await removeStaleLocks(pgData, socketDir, account);
    const statement = runtimeRoleStatement(runtimePassword);
    await account.run(binaries.postgres, ['--single', '-D', pgData, 'postgres'], statement);
    writeOwned(join(pgData, RUNTIME_ROLE_MARKER_FILE), roleMarker, account);
  }

  /** Replaces the rules of earlier versions, which let the superuser sign in with the password of the panel. */
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

/** Ensures that only this account can write to the directory: another user could place a fake socket there. */
function prepareSocketDir(socketDir: string, account: OsAccount): void {
  try {
    mkdirSync(socketDir, { mode: 0o700 });
    account.own(socketDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Changes the owner only within the data directory: in /tmp, another user may have created the directory.
    if (dirname(socketDir) !== '/tmp') account.own(socketDir);
  }
  const stats = lstatSync(socketDir);
  if (!stats.isDirectory() || stats.uid !== account.uid || (stats.mode & 0o077) !== 0) {
    throw new Error(
      `Other users can access ${socketDir}. Delete it and try again; Steward creates it again.`,
    );
  }
}

function formatServerSettings(socketDir: string, extra: Record<string, string>): string {
  const settings = {
    // No TCP port, so no port conflict: clients use a socket that only the account of the panel can access.
    listen_addresses: '',
    port: String(SOCKET_PORT),
    // The setting is a list. Quotes keep a comma as part of the name.
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

function removeAbandonedDirs(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = /^postgres\.new-(\d+)-/.exec(name)?.[1];
    const hasOwnPid = Number(pid) === process.pid; // an earlier process had the same PID
    if (pid !== undefined && (hasOwnPid || !isProcessAlive(Number(pid)))) {
      rmSync(join(dataDir, name), { recursive: true, force: true });
    }
  }
}

/**
 * Removes the lock file of a server that has ended, if another program or a zombie has its PID. After a restart of the
 * machine or container, the PID may belong to another program. A container without an init process keeps the dead
 * server as a zombie. In both cases, PostgreSQL would never start again. PostgreSQL itself ignores a lock file whose
 * PID does not exist.
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
    // A server in single-user mode writes a negative PID.
    if (content === null || !isProcessAlive(Math.abs(Number.parseInt(content, 10)))) continue;
    if (await isServerRunning(pgData, account)) return;
    removeIfUnchanged(lockFile, content);
  }
}

/**
 * Whether a process has the data directory as its current directory, as a server does. Runs as the account of the
 * server, because other accounts, even root in a container, may not read the current directory of its processes.
 * Without /proc, assumes that the server is running.
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

/** Removes the lock file, unless another process has replaced it since the check. */
function removeIfUnchanged(lockFile: string, content: string): void {
  const movedFile = `${lockFile}.${process.pid}.void`;
  renameSync(lockFile, movedFile);
  if (readIfExists(movedFile) !== content) linkSync(movedFile, lockFile);
  rmSync(movedFile);
}

function readIfExists(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
