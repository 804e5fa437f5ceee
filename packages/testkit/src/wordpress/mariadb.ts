import { userInfo } from 'node:os';
import { join } from 'node:path';
import { run } from '../command.ts';
import { startLeashed } from '../leashed-process.ts';
import { SEARCH_PATH } from '../provide/parts.ts';

// A socket's path has to fit into 108 bytes.
const LONGEST_SOCKET_PATH = 100;

export type Database = {
  socket: string;
  /** NULL reads as the text `NULL`; tabs, line ends and backslashes come back as they are. */
  query(sql: string, database?: string): Promise<string[][]>;
};

export type Mariadb = Database & { stop(): Promise<void> };

/** A MariaDB of its own, whose data need not survive: nothing is forced to the disk. */
export async function startMariadb(folder: string): Promise<Mariadb> {
  const socket = join(folder, 'db.sock');
  if (socket.length > LONGEST_SOCKET_PATH) {
    throw new Error(`${socket} is too long for a socket; set TMPDIR to a shorter folder.`);
  }
  const data = join(folder, 'data');
  const settings = [
    '--no-defaults',
    `--datadir=${data}`,
    '--skip-name-resolve',
    '--innodb-flush-method=nosync',
    // MariaDB refuses to run as root unless it is told to.
    ...(userInfo().uid === 0 ? ['--user=root'] : []),
  ];
  await run('mariadb-install-db', [
    ...settings,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]);
  const server = startLeashed(
    [
      'mariadbd',
      ...settings,
      `--socket=${socket}`,
      `--pid-file=${join(folder, 'db.pid')}`,
      '--skip-networking',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=64M',
      '--innodb-log-file-size=16M',
      '--character-set-server=utf8mb4',
      '--performance-schema=OFF',
      '--max-connections=400',
    ],
    { logFile: join(folder, 'mariadb.log'), env: { ...process.env, PATH: SEARCH_PATH } },
  );
  await server.ready((log) => log.includes('ready for connections'));
  return { ...openMariadb(socket), stop: server.stop };
}

/** One that runs already. */
export function openMariadb(socket: string): Database {
  return {
    socket,
    async query(sql, database) {
      const args = ['--batch', '--skip-column-names', ...(database ? [database] : [])];
      const rows = await run('mariadb', [...connectionTo(socket), ...args], { input: sql });
      return rows.split('\n').slice(0, -1).map(readRow);
    },
  };
}

export async function dumpDatabase(socket: string, name: string): Promise<string> {
  return run('mariadb-dump', [...connectionTo(socket), '--skip-comments', name]);
}

function connectionTo(socket: string): string[] {
  return ['--no-defaults', `--socket=${socket}`, '--user=root', '--default-character-set=utf8mb4'];
}

const ESCAPED: Record<string, string> = { t: '\t', n: '\n', '0': '\0', '\\': '\\' };

function readRow(line: string): string[] {
  return line
    .split('\t')
    .map((field) => field.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter));
}

/** A text as SQL, whatever is in it. */
export function sqlText(value: string): string {
  return `_utf8mb4 X'${Buffer.from(value).toString('hex')}'`;
}
