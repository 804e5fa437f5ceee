import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../logger.ts';
import type { Cluster } from './cluster.ts';

/**
 * Who uses the embedded server is kept by the server itself: each process holds a shared advisory
 * lock on one connection. A process that is killed loses its connection and with it the lock, so
 * there is no list that could go stale.
 */

const PRESENCE_LOCK = 0x57e3a7d;
/** A server killed with its children still running refuses to start until they are gone. */
const START_FAILURES_SECONDS = 20;

export async function establishPresence(
  cluster: Cluster,
  connection: pg.ClientConfig,
  log: Logger,
): Promise<pg.Client> {
  let giveUpAt: number | null = null;
  for (;;) {
    const client = new pg.Client({ ...connection, application_name: 'steward presence' });
    client.on('error', (error) => {
      log.debug({ reason: error.message }, 'The presence connection failed.');
    });
    try {
      await client.connect();
      // Waits while the last one to leave stops the server, and fails when it has stopped.
      await client.query('SELECT pg_advisory_lock_shared($1)', [PRESENCE_LOCK]);
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      if (isNotRunning(error)) {
        const failure = await startOrLetAnother(cluster);
        if (failure) giveUpAt ??= Date.now() + START_FAILURES_SECONDS * 1000;
        if (failure && Date.now() > (giveUpAt ?? 0)) throw failure;
      } else if (!isPassing(error)) {
        throw error;
      }
      await sleep(100);
    }
  }
}

/** True when no other process uses the server; then none can join before this one has left. */
export async function isLastPresence(presence: pg.Client): Promise<boolean> {
  try {
    // Let go first, ask afterwards: the other way round, two that leave together would each see
    // the other and the server would run on with nobody there.
    await presence.query('SELECT pg_advisory_unlock_shared($1)', [PRESENCE_LOCK]);
    const { rows } = await presence.query('SELECT pg_try_advisory_lock($1) AS alone', [
      PRESENCE_LOCK,
    ]);
    return rows[0].alone;
  } catch {
    return false;
  }
}

/** Of two processes that start the server at once PostgreSQL lets one; the other joins it. */
async function startOrLetAnother(cluster: Cluster): Promise<Error | null> {
  try {
    await cluster.startServer();
    return null;
  } catch (cause) {
    const reason = (cause as Error).message;
    return new Error(`The embedded PostgreSQL does not start: ${reason}`, { cause });
  }
}

function isNotRunning(error: unknown): boolean {
  return ['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Shutting down (57P01), crashed (57P02), starting up (57P03), full (53300), or cut off. */
function isPassing(error: unknown): boolean {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const codes = ['57P01', '57P02', '57P03', '53300', 'ECONNRESET', 'EPIPE'];
  return codes.includes(code) || message.includes('terminated');
}
