import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { accessSync, chownSync, constants, statSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * The account that runs PostgreSQL, which refuses to run as root: the current user, or a dedicated
 * account if the panel runs as root.
 */
export type OsAccount = {
  uid: number;
  run(command: string, args: string[], input?: string): Promise<string>;
  /** Makes the account the owner of a file or directory. */
  own(path: string): void;
  /** Whether file permissions allow the account to reach the path. */
  canReach(path: string): boolean;
};

const ACCOUNT = 'steward';

export function chooseOsAccount(dataDir: string, pgData: string): OsAccount {
  const ownUid = process.getuid?.() ?? 0;
  if (ownUid !== 0) {
    return { uid: ownUid, run: (...call) => execute(...call), own: () => {}, canReach: canExecute };
  }
  const { uid, gid } = accountFor(pgData);
  const own = (path: string) => chownSync(path, uid, gid);
  const canReach = (path: string) => spawnSync('test', ['-x', path], { uid, gid }).status === 0;
  if (canReach(dataDir)) {
    const run: OsAccount['run'] = (command, args, input) =>
      execute(command, args, input, { uid, gid });
    return { uid, own, canReach, run };
  }
  if (spawnSync('setpriv', ['--version']).status !== 0) {
    throw new Error(
      `PostgreSQL runs as user ${uid}, which cannot enter ${dataDir}. Set DATA_DIR to a directory that all users can enter, for example below /var/lib.`,
    );
  }
  // A parent directory is closed to other users, for example /root. One capability lets the account enter it
  // without a change of permissions.
  const setprivArgs = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_read_search',
    '--ambient-caps=-all,+dac_read_search',
  ];
  const run: OsAccount['run'] = (command, args, input) =>
    execute('setpriv', [...setprivArgs, command, ...args], input);
  return { uid, own, canReach, run };
}

/** Returns the owner of the cluster, because PostgreSQL refuses to run as another account. */
function accountFor(pgData: string): { uid: number; gid: number } {
  const owner = statSync(pgData, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return owner;
  const account = findOrCreateAccount();
  // Root owns the cluster if a backup was restored without its owners.
  if (owner) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, pgData]);
  return account;
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findOrCreateAccount(): { uid: number; gid: number } {
  const found = findAccount(ACCOUNT);
  if (found) return found;
  const noLogin = [
    '--no-create-home',
    '--home-dir',
    '/nonexistent',
    '--shell',
    '/usr/sbin/nologin',
  ];
  spawnSync('useradd', ['--system', '--user-group', ...noLogin, ACCOUNT]);
  // `useradd` fails if another process has created the account first. Without `useradd`, `nobody` is the fallback.
  const account = findAccount(ACCOUNT) ?? findAccount('nobody');
  if (!account) {
    throw new Error(
      'PostgreSQL cannot run as root, and creating another account failed. Run the panel as a normal user, or set DATABASE_URL.',
    );
  }
  return account;
}

function findAccount(name: string): { uid: number; gid: number } | null {
  try {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, name], { stdio: 'pipe' }).toString());
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
}

async function execute(
  command: string,
  args: string[],
  input = '',
  account: { uid?: number; gid?: number } = {},
): Promise<string> {
  // The programs of PostgreSQL must read their current directory. The account may be unable to read that of the panel.
  const running = promisify(execFile)(command, args, { ...account, cwd: '/' });
  // A program may exit without reading its input. Its exit status is checked below.
  running.child.stdin?.on('error', () => {}).end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(stderr?.trim() || message, { cause: error });
  }
}
