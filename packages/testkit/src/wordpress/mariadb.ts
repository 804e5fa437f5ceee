import { userInfo } from 'node:os';
import { join } from 'node:path';
import { run } from '../command.ts';
import { startProcessGroup } from '../process-group.ts';
import { SEARCH_PATH } from '../provide/parts.ts';
import { type MariadbClient, startMariadbClient } from './mariadb-client.ts';

// Linux limits the path of a socket to 108 bytes.
const SOCKET_PATH_MAX = 100;

export type Database = {
  socket: string;
  /** Returns the rows, with NULL as the text `NULL`. Decodes escaped tabs, line ends and backslashes. */
  query(sql: string, database: string): Promise<string[][]>;
  close(): Promise<void>;
};

export type Mariadb = Database & { stop(): Promise<void> };

/** Starts a MariaDB without durability, because test data need not survive a crash. */
export async function startMariadb(folder: string): Promise<Mariadb> {
  const socket = join(folder, 'db.sock');
  if (socket.length > SOCKET_PATH_MAX) {
    throw new Error(`${socket} is too long for a socket; set TMPDIR to a shorter folder.`);
  }
  const data = join(folder, 'data');
  const settings = [
    '--no-defaults',
    `--datadir=${data}`,
    '--skip-name-resolve',
    '--innodb-flush-method=nosync',
    // MariaDB refuses to run as root without this option.
    ...(userInfo().uid === 0 ? ['--user=root'] : []),
  ];
  await run('mariadb-install-db', [
    ...settings,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]);
  const server = startProcessGroup(
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
  await server.waitUntilReady((log) => log.includes('ready for connections'));
  const database = openMariadb(socket);
  return {
    ...database,
    async stop() {
      await database.close();
      await server.stop();
    },
  };
}

/** Connects to a running MariaDB. The caller must close the connections. */
export function openMariadb(socket: string): Database {
  const idle: MariadbClient[] = [];
  return {
    socket,
    async query(sql, database) {
      const client = idle.pop() ?? startMariadbClient(connectionArgs(socket));
      const rows = await client.run(`USE ${database};\n${sql}`);
      idle.push(client);
      return rows.split('\n').slice(0, -1).map(readRow);
    },
    async close() {
      await Promise.all(idle.splice(0).map((client) => client.close()));
    },
  };
}

export async function dumpDatabase(socket: string, name: string): Promise<string> {
  return run('mariadb-dump', [...connectionArgs(socket), '--skip-comments', name]);
}

function connectionArgs(socket: string): string[] {
  return ['--no-defaults', `--socket=${socket}`, '--user=root', '--default-character-set=utf8mb4'];
}

const ESCAPED: Record<string, string> = { t: '\t', n: '\n', '0': '\0', '\\': '\\' };

function readRow(line: string): string[] {
  return line
    .split('\t')
    .map((field) => field.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter));
}

/** Encodes any text as an SQL literal. */
export function sqlText(value: string): string {
  return `_utf8mb4 X'${Buffer.from(value).toString('hex')}'`;
}
