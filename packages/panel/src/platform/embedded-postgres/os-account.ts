import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { accessSync, chownSync, constants, statSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * PostgreSQL refuses to run as root. An ordinary user runs it as himself; root runs it as an
 * account of its own.
 */
export type OsAccount = {
  uid: number;
  run(command: string, args: string[], input?: string): Promise<string>;
  /** Hands a file or folder over to the account. */
  own(path: string): void;
  /** Whether the account may enter where this lies, by the folders' own permissions. */
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
      `PostgreSQL runs as the user ${uid} here, who may not enter ${dataDir}. Set DATA_DIR to a folder that everybody may enter, such as one below /var/lib.`,
    );
  }
  // A folder above is closed to others (a clone under /root, say). One capability lets the account
  // pass through without opening anybody's folders.
  const passThrough = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_read_search',
    '--ambient-caps=-all,+dac_read_search',
  ];
  const run: OsAccount['run'] = (command, args, input) =>
    execute('setpriv', [...passThrough, command, ...args], input);
  return { uid, own, canReach, run };
}

/** Whoever made the cluster has to go on running it: PostgreSQL insists. */
function accountFor(pgData: string): { uid: number; gid: number } {
  const owner = statSync(pgData, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return owner;
  const account = findOrCreateAccount();
  // Root's own: a backup that was copied back without its owners.
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
  // Another process may have been first; and where there is no useradd, `nobody` serves.
  const account = findAccount(ACCOUNT) ?? findAccount('nobody');
  if (!account) {
    throw new Error(
      'PostgreSQL cannot run as root and no other account could be made. Run the panel as an ordinary user, or set DATABASE_URL.',
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
  // The current folder may be closed to the account, and PostgreSQL's programs look at theirs.
  const running = promisify(execFile)(command, args, { ...account, cwd: '/' });
  // A program that ends without reading is no fault of ours; how it ended is told below.
  running.child.stdin?.on('error', () => {}).end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(stderr?.trim() || message, { cause: error });
  }
}
