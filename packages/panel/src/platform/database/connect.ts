import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Config } from '../config.ts';
import { joinEmbeddedPostgres } from '../embedded-postgres/index.ts';
import type { Logger } from '../logger.ts';
import type { Database, Tables } from './tables.ts';

export type DatabaseConnection = {
  db: Database;
  /** For frequent statements, where the overhead of Kysely is measurable. */
  pool: pg.Pool;
  close(): Promise<void>;
};

export type OwnedDatabase = DatabaseConnection & {
  /** Connects as the owner of the tables, for migrations only. The caller closes the connection. */
  openAsOwner(): DatabaseConnection;
};

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** Ends the transaction of a suspended process, because other processes wait for its locks. */
const IDLE_TRANSACTION_TIMEOUT_MS = 20_000;

/**
 * Returns a timeout shorter than the lease. With a longer timeout, a worker that takes over could wait for the locks of
 * the suspended process until its own heartbeats fail.
 */
const idleTransactionMs = (leaseSeconds: number) =>
  Math.min(IDLE_TRANSACTION_TIMEOUT_MS, Math.floor((leaseSeconds * 1000 * 2) / 3));

const POOL_SIZE = 10;

/** Connects to DATABASE_URL or the embedded database, as the role that the panel runs with. */
export async function connectDatabase(
  config: Pick<Config, 'databaseUrl' | 'migrationDatabaseUrl' | 'dataDir' | 'leaseSeconds'>,
  log: Logger,
): Promise<OwnedDatabase> {
  const idleMs = idleTransactionMs(config.leaseSeconds);
  if (config.databaseUrl !== null) {
    const connection = openPool({ connectionString: config.databaseUrl }, log, idleMs);
    await assertReachable(connection);
    const connectionString = config.migrationDatabaseUrl ?? config.databaseUrl;
    return { ...connection, openAsOwner: () => openPool({ connectionString }, log) };
  }
  const embedded = await joinEmbeddedPostgres({ dataDir: config.dataDir, log });
  const connection = openPool(embedded.connection, log, idleMs);
  return {
    ...connection,
    openAsOwner: () => openPool(embedded.ownerConnection, log),
    async close() {
      await connection.close();
      await embedded.leave();
    },
  };
}

export function openPool(
  connection: pg.PoolConfig,
  log: Logger,
  idleMs = IDLE_TRANSACTION_TIMEOUT_MS,
): DatabaseConnection {
  const pool = new pg.Pool({
    ...connection,
    max: POOL_SIZE,
    application_name: 'steward',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: idleMs,
    // Most data is in memory, so index look-ups are cheap. The default makes the planner avoid them.
    options: '-c random_page_cost=1.1',
    types: { getTypeParser },
  });
  // Without a listener, a lost connection would end the process. The pool itself listens only to idle
  // connections, not to a transaction between two statements.
  const onLost = (error: Error) => {
    log.warn({ reason: error.message }, 'Database connection lost.');
  };
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', onLost));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, close: () => pool.end() };
}

/** Parses ids as numbers, because no id comes near 2^53. */
/** Not among the constants of `pg`. */
const INT8_ARRAY = 1016;

/** Ids in arrays are numbers too: by default, they would be texts. */
const parseBigintArray = (text: string): number[] =>
  text.slice(1, -1).split(',').filter(Boolean).map(Number);

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number;
  if (oid === INT8_ARRAY) return parseBigintArray;
  return format === 'binary'
    ? pg.types.getTypeParser(oid, 'binary')
    : pg.types.getTypeParser(oid, 'text');
}

async function assertReachable({ pool, close }: DatabaseConnection): Promise<void> {
  try {
    await pool.query('SELECT 1');
  } catch (cause) {
    await close();
    const reason = (cause as Error).message || (cause as NodeJS.ErrnoException).code;
    throw new Error(`Cannot connect to DATABASE_URL: ${reason}`, { cause });
  }
}

/**
 * Timeout of a statement (57014), a lock (55P03) or an idle transaction (25P03), or a resolved deadlock
 * (40P01).
 */
const TIMEOUT_CODES = ['57014', '55P03', '40P01', '25P03'];

/** Whether the error may go away: a lost connection or a timeout, not a wrong statement. */
export function isTransientError(error: unknown): boolean {
  const { code = '', message = '', syscall } = error as NodeJS.ErrnoException;
  return (
    ['connect', 'getaddrinfo'].includes(syscall ?? '') ||
    /^(?:08|53|57P)/.test(code) ||
    TIMEOUT_CODES.includes(code) ||
    ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'].includes(code) ||
    /connection terminated|not queryable|timeout exceeded when trying to connect/i.test(message)
  );
}
