import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Config } from '../config.ts';
import { joinEmbeddedPostgres } from '../embedded-postgres/index.ts';
import type { Logger } from '../logger.ts';
import type { Database, Tables } from './tables.ts';

export type DatabaseConnection = {
  db: Database;
  /** For statements where Kysely's own work would show. */
  pool: pg.Pool;
  close(): Promise<void>;
};

export type OwnedDatabase = DatabaseConnection & {
  /** Signs in as the role that owns the tables, for migrations alone. The caller closes it. */
  openAsOwner(): DatabaseConnection;
};

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** For a process that stands still within a transaction: what it has locked, others wait for. */
const IDLE_TRANSACTION_TIMEOUT_MS = 20_000;

/**
 * Ended well before the lease is over: a worker that takes over would wait for the same locks, for so
 * long that its own heartbeats could fail.
 */
const idleTransactionMs = (leaseSeconds: number) =>
  Math.min(IDLE_TRANSACTION_TIMEOUT_MS, Math.floor((leaseSeconds * 1000 * 2) / 3));

const POOL_SIZE = 10;

/** Opens the database that the configuration names, or the panel's own, as the role the panel runs with. */
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
    // Everything hot is in memory: the planner must not shy away from a hundred index look-ups.
    options: '-c random_page_cost=1.1',
    types: { getTypeParser },
  });
  // Without a listener, a connection that breaks would end the process: the pool listens to idle
  // ones, and a transaction between two statements has nobody listening.
  const onLost = (error: Error) => {
    log.warn({ reason: error.message }, 'A database connection was lost.');
  };
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', onLost));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, close: () => pool.end() };
}

/** Ids are whole numbers on the wire; none comes near 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number;
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
    throw new Error(`The database that DATABASE_URL names cannot be used: ${reason}`, { cause });
  }
}

/**
 * Gave up waiting: a statement (57014) or a lock (55P03) took too long, a deadlock was cut, or a
 * transaction stood still (25P03).
 */
const GAVE_UP_CODES = ['57014', '55P03', '40P01', '25P03'];

/** True for faults that pass, of the connection or of the moment, rather than of what was asked. */
export function isPassingFault(error: unknown): boolean {
  const { code = '', message = '', syscall } = error as NodeJS.ErrnoException;
  return (
    ['connect', 'getaddrinfo'].includes(syscall ?? '') ||
    /^(?:08|53|57P)/.test(code) ||
    GAVE_UP_CODES.includes(code) ||
    ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'].includes(code) ||
    /connection terminated|not queryable|timeout exceeded when trying to connect/i.test(message)
  );
}
