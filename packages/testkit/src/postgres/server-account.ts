import { execFileSync } from 'node:child_process';
import { userInfo } from 'node:os';

type Account = { uid: number; gid: number };

/** The account can enter folders of root, in which the scratch folders of the tests are. */
const CAPABILITIES = ['--inh-caps=-all,+dac_read_search', '--ambient-caps=-all,+dac_read_search'];

/** Returns the command that runs a program as this account, if the tests run as root. */
export function runAs({ uid, gid }: Account, command: string[]): string[] {
  if (process.getuid?.() !== 0 || uid === 0) return command;
  const account = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  return ['setpriv', ...account, ...CAPABILITIES, ...command];
}

/** PostgreSQL refuses to run as root. Its Debian package creates an account. */
export function findAccount(): Account {
  const { uid, gid } = userInfo();
  if (uid !== 0) return { uid, gid };
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { stdio: 'pipe' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
