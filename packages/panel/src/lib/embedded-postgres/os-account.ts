import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * PostgreSQL refuses to run as root. An ordinary user runs it as himself; root runs it as an
 * account of its own.
 */
export type OsAccount = {
  run(command: string, args: string[], input?: string): Promise<string>;
  /** Hands a file or folder over to the account. */
  own(path: string): void;
};

const ACCOUNT = 'steward';

/** `mustReach`: paths the account has to get to; inside /root, for one, it does not by itself. */
export function chooseOsAccount(pgData: string, mustReach: string[]): OsAccount {
  if (process.getuid?.() !== 0) return { run: (...call) => execute(...call), own: () => {} };

  // Whoever made the cluster has to go on running it: PostgreSQL insists.
  const { uid, gid } = statSync(pgData, { throwIfNoEntry: false }) ?? findOrCreateAccount();
  const unreachable = mustReach.find(
    (path) => spawnSync('test', ['-x', path], { uid, gid }).status !== 0,
  );
  const own = (path: string) => chownSync(path, uid, gid);
  if (unreachable === undefined) {
    return { own, run: (command, args, input) => execute(command, args, input, { uid, gid }) };
  }
  if (spawnSync('setpriv', ['--version']).status !== 0) {
    throw new Error(
      `PostgreSQL runs as the user ${uid} here, who may not enter ${unreachable}. Run the panel from a folder that everybody may enter, or set DATABASE_URL.`,
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
  return {
    own,
    run: (command, args, input) => execute('setpriv', [...passThrough, command, ...args], input),
  };
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
  running.child.stdin?.end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(stderr?.trim() || message, { cause: error });
  }
}
