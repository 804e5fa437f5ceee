import { CompiledQuery, type DatabaseConnection, PostgresDialect, PostgresDriver } from 'kysely';
import pg from 'pg';
import type { Logger } from '../logger.ts';

/**
 * A pooler in transaction mode, such as PgBouncer, gives each transaction any session of the server:
 * docs/decisions/0033-poolers-and-replicas.md.
 */

const ADVICE = 'docs/operate.md, "PgBouncer"';
const PROBE_ROUNDS = 5;
const PROBE_TIMEOUT_MS = 5000;
/** PgBouncer refuses start-up options that it does not know. */
const UNKNOWN_OPTION = /unsupported startup parameter/i;

/** Sends named statements without their name: another session does not know the statement. */
export class PooledClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: `query` has a dozen signatures, and all of them pass unchanged.
  override query(query: any, ...rest: any[]): any {
    if (typeof query?.name === 'string') return super.query({ ...query, name: undefined }, ...rest);
    return super.query(query, ...rest);
  }
}

type Timeouts = { statementMs: number; idleMs: number };

/** Sets the timeouts in each transaction, because a pooled connection has no start-up options. */
export class PooledDialect extends PostgresDialect {
  readonly #pool: pg.Pool;
  readonly #timeouts: Timeouts;

  constructor(pool: pg.Pool, timeouts: Timeouts) {
    super({ pool });
    this.#pool = pool;
    this.#timeouts = timeouts;
  }

  override createDriver(): PostgresDriver {
    return new PooledDriver(this.#pool, this.#timeouts);
  }
}

class PooledDriver extends PostgresDriver {
  readonly #settings: string;

  constructor(pool: pg.Pool, { statementMs, idleMs }: Timeouts) {
    super({ pool });
    this.#settings = `SET LOCAL statement_timeout = ${statementMs};
      SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`;
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    settings: Parameters<PostgresDriver['beginTransaction']>[1],
  ): Promise<void> {
    await super.beginTransaction(connection, settings);
    await connection.executeQuery(CompiledQuery.raw(this.#settings));
  }
}

/** Throws if connections share sessions: notifications and locks of a session would be lost without an error. */
export async function assertOwnSessions(pool: pg.Pool, setting: string): Promise<void> {
  if (await sharesSessions(pool)) throw createPoolerError(setting, 'transaction pooling');
}

/** Explains the error of a pooler that refuses start-up options. */
export function explainPoolerError(error: Error, setting: string): Error | null {
  return UNKNOWN_OPTION.test(error.message) ? createPoolerError(setting, error.message) : null;
}

function createPoolerError(setting: string, reason: string): Error {
  const change =
    setting === 'DATABASE_URL'
      ? 'Set DATABASE_DIRECT_URL to the address of PostgreSQL itself'
      : 'Set it to the address of PostgreSQL itself';
  return new Error(`${setting} leads to a connection pooler (${reason}). ${change}: ${ADVICE}.`);
}

async function sharesSessions(pool: pg.Pool): Promise<boolean> {
  const first = await pool.connect();
  try {
    // A pooler makes up the process id that it sends to its clients.
    const { processID } = first as unknown as { processID: number };
    if ((await readProcessId(first)) === processID) return false;
    const second = await pool.connect();
    try {
      return await shareProcess(first, second);
    } finally {
      second.release(true);
    }
  } finally {
    first.release();
  }
}

/** In session mode, each connection keeps its own process of the server. */
async function shareProcess(first: pg.PoolClient, second: pg.PoolClient): Promise<boolean> {
  for (let round = 0; round < PROBE_ROUNDS; round++) {
    const own = await readProcessId(first);
    const changed = (await readProcessId(first)) !== own;
    // A session pool without a free session lets the second connection wait.
    const other = await readProcessId(second).catch(() => null);
    if (changed || other === own) return true;
  }
  return false;
}

async function readProcessId(client: pg.PoolClient): Promise<number> {
  const query = { text: 'SELECT pg_backend_pid() AS id', query_timeout: PROBE_TIMEOUT_MS };
  const { rows } = await client.query<{ id: number }>(query);
  return rows[0]?.id ?? 0;
}

/** As a number: the text depends on the time zone of the role and of the pooler. */
const SERVER = `SELECT current_database() AS database,
  extract(epoch FROM pg_postmaster_start_time())::text AS started`;

/** Throws if the two addresses lead to different databases: notifications of one would not arrive at the other. */
export async function assertSameDatabase(pooled: pg.Pool, direct: pg.Pool): Promise<void> {
  const [first, second] = await Promise.all([pooled.query(SERVER), direct.query(SERVER)]);
  if (JSON.stringify(first.rows) === JSON.stringify(second.rows)) return;
  throw new Error('DATABASE_URL and DATABASE_DIRECT_URL lead to different databases.');
}

/** Single statements have the timeout of their role, if it has one. */
export async function warnWithoutTimeout(pooled: pg.Pool, log: Logger): Promise<void> {
  const { rows } = await pooled.query("SELECT current_setting('statement_timeout') AS timeout");
  if (rows[0]?.timeout !== '0') return;
  log.warn(`The role of DATABASE_URL has no statement_timeout. Set it: ${ADVICE}.`);
}
