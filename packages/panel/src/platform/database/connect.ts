import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Config } from '../config.ts';
import { joinEmbeddedPostgres } from '../embedded-postgres/index.ts';
import type { Logger } from '../logger.ts';
import type { DatabaseUrls } from './database-urls.ts';
import { explainConnectError } from './explain-connect-error.ts';
import type { Database } from './handles.ts';
import {
  assertOwnSessions,
  assertSameDatabase,
  explainPoolerError,
  PooledClient,
  PooledDialect,
  warnWithoutTimeout,
} from './pooler.ts';
import { PreparingClient } from './prepared-statements.ts';
import { createReadDatabase } from './replica.ts';

export type DatabaseConnection = {
  db: Database;
  /** For frequent statements, where the overhead of Kysely is measurable. */
  pool: pg.Pool;
  /** For notifications, locks of a session and long snapshots: each of its connections has its own session. */
  directPool: pg.Pool;
  /** For lists of the screens. Reads from the replica if it works, otherwise from the primary. Not for transactions. */
  readDb: Database;
  close(): Promise<void>;
};

export type OwnedDatabase = DatabaseConnection & {
  /** Connects as the owner of the tables, for example to migrate them. The caller closes the connection. */
  openAsOwner(): Promise<DatabaseConnection>;
  /** Returns why the replica cannot be used now, and logs it; null if it can, or if there is none. */
  checkReplica(): Promise<string | null>;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** A replica that does not respond must not delay a list for long: the primary answers instead. */
const REPLICA_CONNECT_TIMEOUT_MS = 3000;
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
/** One connection listens to notifications, another one can write a backup. */
const DIRECT_POOL_SIZE = 3;

type PoolOptions = {
  idleMs?: number;
  /** Whether the address may lead to a pooler in transaction mode. */
  isPooled?: boolean;
  size?: number;
  connectTimeoutMs?: number;
};

/** Connects to DATABASE_URL or the embedded database, as the role that the panel runs with. */
export async function connectDatabase(
  config: DatabaseUrls & Pick<Config, 'dataDir' | 'leaseSeconds'>,
  log: Logger,
): Promise<OwnedDatabase> {
  const idleMs = idleTransactionMs(config.leaseSeconds);
  const { databaseUrl } = config;
  if (databaseUrl !== null) return connectTo({ ...config, databaseUrl }, log, idleMs);
  const embedded = await joinEmbeddedPostgres({ dataDir: config.dataDir, log });
  const connection = openPool(embedded.connection, log, { idleMs });
  return {
    ...connection,
    openAsOwner: async () => openPool(embedded.ownerConnection, log),
    checkReplica: async () => null,
    async close() {
      await connection.close();
      await embedded.leave();
    },
  };
}

async function connectTo(
  urls: DatabaseUrls & { databaseUrl: string },
  log: Logger,
  idleMs: number,
): Promise<OwnedDatabase> {
  const { databaseUrl, directDatabaseUrl, migrationDatabaseUrl, replicaDatabaseUrl } = urls;
  const isPooled = directDatabaseUrl !== null;
  const directSetting = isPooled ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  const opened = new AsyncDisposableStack();
  const open = async (connectionString: string, setting: string, options: PoolOptions) => {
    const connection = openPool({ connectionString }, log, options);
    opened.defer(connection.close);
    await assertReachable(connection, setting, options.isPooled);
    return connection;
  };
  try {
    const main = await open(databaseUrl, 'DATABASE_URL', { idleMs, isPooled });
    const direct = isPooled
      ? await open(directDatabaseUrl, directSetting, { idleMs, size: DIRECT_POOL_SIZE })
      : main;
    if (isPooled) {
      await assertSameDatabase(main.pool, direct.pool);
      await warnWithoutTimeout(main.pool, log);
    }
    const ownerUrl = migrationDatabaseUrl ?? directDatabaseUrl ?? databaseUrl;
    const ownerSetting =
      ownerUrl === migrationDatabaseUrl ? 'MIGRATION_DATABASE_URL' : directSetting;
    const replica =
      replicaDatabaseUrl === null ? null : openReplicaPool(replicaDatabaseUrl, isPooled);
    if (replica) opened.defer(() => replica.end());
    const lists = replica
      ? createReadDatabase({ primary: main.pool, replica }, log)
      : { db: main.db, checkReplica: async () => null };
    return {
      ...main,
      directPool: direct.pool,
      readDb: lists.db,
      checkReplica: lists.checkReplica,
      openAsOwner: () => openOwner(ownerUrl, ownerSetting, log),
      close: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function openOwner(
  connectionString: string,
  setting: string,
  log: Logger,
): Promise<DatabaseConnection> {
  const owner = openPool({ connectionString }, log);
  try {
    await assertReachable(owner, setting);
    return owner;
  } catch (error) {
    await owner.close();
    throw error;
  }
}

export function openPool(
  connection: pg.PoolConfig,
  log: Logger,
  options: PoolOptions = {},
): DatabaseConnection {
  const { idleMs = IDLE_TRANSACTION_TIMEOUT_MS, isPooled = false } = options;
  const pool = createPool(connection, { ...options, idleMs });
  // Without a listener, a lost connection would end the process. The pool itself listens only to idle
  // connections, not to a transaction between two statements.
  listenForErrors(pool, (error) => {
    log.warn({ reason: error.message }, 'Database connection lost.');
  });
  const dialect = isPooled
    ? new PooledDialect(pool, { idleMs, statementMs: STATEMENT_TIMEOUT_MS })
    : new PostgresDialect({ pool });
  const db = new Kysely<never>({ dialect });
  return { db, pool, directPool: pool, readDb: db, close: () => pool.end() };
}

/** A lost connection is not logged here: the next query reports it. */
function openReplicaPool(connectionString: string, isPooled: boolean): pg.Pool {
  const connectTimeoutMs = REPLICA_CONNECT_TIMEOUT_MS;
  const pool = createPool({ connectionString }, { isPooled, connectTimeoutMs });
  listenForErrors(pool, () => {});
  return pool;
}

function createPool(connection: pg.PoolConfig, options: PoolOptions): pg.Pool {
  const startUpOptions = {
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: options.idleMs,
    // Most data is in memory, so index look-ups are cheap. The default makes the planner avoid them.
    options: '-c random_page_cost=1.1',
  };
  return new pg.Pool({
    ...connection,
    max: options.size ?? POOL_SIZE,
    keepAlive: true,
    application_name: 'steward',
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    types: { getTypeParser },
    ...(options.isPooled
      ? { Client: PooledClient }
      : { Client: PreparingClient, ...startUpOptions }),
  });
}

function listenForErrors(pool: pg.Pool, onError: (error: Error) => void): void {
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
}

/** The type `bigint[]`, which is not among the constants of `pg`. */
const INT8_ARRAY = 1016;

/** Ids in arrays are numbers too: by default, they would be texts. */
const parseBigintArray = (text: string): number[] =>
  text.slice(1, -1).split(',').filter(Boolean).map(Number);

/** Parses ids as numbers, because no id comes near 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number;
  if (oid === INT8_ARRAY) return parseBigintArray;
  return format === 'binary'
    ? pg.types.getTypeParser(oid, 'binary')
    : pg.types.getTypeParser(oid, 'text');
}

/** Without `isPooled`, the address must also lead to PostgreSQL itself, or to a pooler in session mode. */
async function assertReachable(
  { pool }: DatabaseConnection,
  setting: string,
  isPooled = false,
): Promise<void> {
  try {
    await pool.query('SELECT 1');
  } catch (cause) {
    const error = cause as NodeJS.ErrnoException;
    throw (
      explainPoolerError(error, setting) ??
      new Error(`Cannot connect to ${setting}: ${explainConnectError(error)}`, { cause })
    );
  }
  if (!isPooled) await assertOwnSessions(pool, setting);
}
