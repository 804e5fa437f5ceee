import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Logger } from '../logger.ts';
import { getMeter } from '../telemetry/meter.ts';
import { explainConnectError } from './explain-connect-error.ts';
import type { Database } from './handles.ts';
import { isTransientError } from './is-transient-error.ts';

/**
 * Reads lists from a streaming replica. Apart from check-ins, a list is never older than its request: the replica must
 * first have replayed everything that was committed before the query. Otherwise the list comes from the primary:
 * docs/decisions/0033-poolers-and-replicas.md.
 */

/** A healthy replica is a few milliseconds behind. If it is further behind, the primary is faster. */
const CATCH_UP_MS = 100;
const POLL_MS = 5;
/** After the replica was late or failed, lists come from the primary for this time, so that few requests wait. */
const PAUSE_MS = 5000;
const CHECK_TIMEOUT_MS = 1000;
const QUERY_TIMEOUT_MS = 15_000;
/** The error of `pg` for `query_timeout`. */
const READ_TIMEOUT = /query read timeout/i;

/**
 * A commit becomes visible after its record was flushed. With `synchronous_commit = off` it becomes visible before, so
 * the position of the last inserted record counts. Check-ins can be missing for a moment:
 * docs/decisions/0036-check-in-commits.md.
 */
const READ_POSITION = `SELECT current_database() AS database,
    (SELECT system_identifier::text FROM pg_control_system()) AS cluster,
    CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
      ELSE pg_current_wal_flush_lsn() END::text AS position,
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline`;
/**
 * After a failover, a replica can still follow the old primary, so the timelines must match. A replica of the new primary
 * shows the new timeline only after a restart point. Until then, lists come from the primary.
 */
const CHECK_POSITION = `SELECT pg_is_in_recovery() AND current_database() = $1
      AND (SELECT system_identifier::text FROM pg_control_system()) = $2 AS is_replica,
    (SELECT lpad(upper(to_hex(greatest(timeline_id, min_recovery_end_timeline))), 8, '0')
      FROM pg_control_checkpoint(), pg_control_recovery()) = $4 AS has_timeline,
    pg_last_wal_replay_lsn() >= $3::pg_lsn AS has_replayed,
    pg_last_wal_replay_lsn() > $3::pg_lsn AS is_ahead, pg_last_wal_replay_lsn()::text AS replayed`;
const HAS_WRITTEN = 'SELECT pg_current_wal_insert_lsn() >= $1::pg_lsn AS has_written';

type Position = { database: string; cluster: string; position: string; timeline: string };

type Servers = { primary: pg.Pool; replica: pg.Pool };
type Query = { text: string; values: unknown[] };
/** `isFault`: the replica is late or does not work. False: only this query failed. */
type Failure = { reason: string; isFault: boolean };

export type ReadDatabase = {
  db: Database;
  /** Returns why the replica cannot be used now, and logs it; null if it can. */
  checkReplica(): Promise<string | null>;
};

export function createReadDatabase({ primary, replica }: Servers, log: Logger): ReadDatabase {
  let isInUse = true;
  let pausedUntilMs = 0;

  function stopUsing(reason: string): void {
    pausedUntilMs = performance.now() + PAUSE_MS;
    if (isInUse) log.warn({ reason }, 'The replica is not used. Lists come from the primary.');
    isInUse = false;
  }

  async function query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    if (!/^\s*(?:select|with)\b/i.test(text)) {
      throw new Error('The database for lists only accepts single queries.');
    }
    const result = await tryReplica({ text, values });
    getMeter()?.countListQuery(result ? 'replica' : 'primary');
    return result ?? primary.query(text, values);
  }

  async function tryReplica(query: Query): Promise<pg.QueryResult | null> {
    const isRetry = !isInUse;
    if (isRetry) {
      if (performance.now() < pausedUntilMs) return null;
      // One query per pause retries the replica. Other queries do not wait for it.
      pausedUntilMs = performance.now() + PAUSE_MS;
    }
    const result = await readFrom({ primary, replica }, query);
    if ('reason' in result) {
      if (result.isFault) stopUsing(result.reason);
      return null;
    }
    if (isRetry) {
      log.info('The replica is used again.');
      isInUse = true;
    }
    return result;
  }

  async function checkReplica(): Promise<string | null> {
    try {
      (await connectToReplica({ primary, replica })).release();
      return null;
    } catch (error) {
      const reason = explainConnectError(error);
      stopUsing(reason);
      return reason;
    }
  }

  const client = { query, release: () => {} };
  const pool = { connect: async () => ({ ...client }), end: async () => {} };
  const dialect = new PostgresDialect({ pool: pool as unknown as pg.Pool });
  return { db: new Kysely<never>({ dialect }), checkReplica };
}

async function readFrom(servers: Servers, query: Query): Promise<pg.QueryResult | Failure> {
  let client: pg.PoolClient;
  try {
    client = await connectToReplica(servers);
  } catch (error) {
    return { reason: explainConnectError(error), isFault: true };
  }
  try {
    const limited = { ...query, query_timeout: QUERY_TIMEOUT_MS };
    const result = await client.query(limited);
    client.release();
    return result;
  } catch (error) {
    // A query that timed out may still occupy the connection.
    client.release(true);
    const { message } = error as Error;
    // A conflict with the recovery cancels one query; a wrong query also fails on the primary.
    return { reason: message, isFault: isTransientError(error) || READ_TIMEOUT.test(message) };
  }
}

/** The check and the query use one connection, because an address can lead to several replicas. */
async function connectToReplica({ primary, replica }: Servers): Promise<pg.PoolClient> {
  const { rows } = await primary.query<Position>(READ_POSITION);
  const client = await replica.connect();
  try {
    const replayed = await waitForPosition(client, rows[0] as Position);
    if (replayed !== null) await assertWritten(primary, replayed);
    return client;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** A primary that was restored from a copy of its disk is behind its replicas, which then have another history. */
async function assertWritten(primary: pg.Pool, replayed: string): Promise<void> {
  const { rows } = await primary.query<{ has_written: boolean }>(HAS_WRITTEN, [replayed]);
  if (!rows[0]?.has_written)
    throw new Error('The replica is ahead of the primary. Create the replica again.');
}

/**
 * Waits until the replica has replayed the wanted position; throws if it is too late. Returns the position of the replica
 * if it is already further, because the primary has written more since. Returns null if both are equal.
 */
async function waitForPosition(client: pg.PoolClient, wanted: Position): Promise<string | null> {
  const values = [wanted.database, wanted.cluster, wanted.position, wanted.timeline];
  const check = { text: CHECK_POSITION, values, query_timeout: CHECK_TIMEOUT_MS };
  for (const deadline = performance.now() + CATCH_UP_MS; ; await sleep(POLL_MS)) {
    const [state] = (await client.query(check)).rows;
    if (!state.is_replica) {
      throw new Error('DATABASE_REPLICA_URL does not lead to a streaming replica of DATABASE_URL.');
    }
    if (!state.has_timeline) {
      throw new Error('The replica does not follow the current timeline of the primary.');
    }
    if (state.has_replayed) return state.is_ahead ? state.replayed : null;
    if (performance.now() >= deadline) {
      throw new Error(`The replica is more than ${CATCH_UP_MS} ms behind.`);
    }
  }
}
