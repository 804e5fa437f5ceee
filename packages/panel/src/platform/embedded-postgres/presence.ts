import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../logger.ts';
import type { Cluster } from './cluster.ts';

/**
 * The embedded server itself tracks the processes that use it: each process holds a shared advisory lock on one
 * connection. A killed process loses its connection and its lock, so the record is never stale.
 */

const PRESENCE_LOCK = 0x57e3a7d;
/** A killed server refuses to restart until its child processes have ended. */
const START_RETRY_SECONDS = 20;

export async function establishPresence(
  cluster: Cluster,
  connection: pg.ClientConfig,
  log: Logger,
): Promise<pg.Client> {
  let deadline: number | null = null;
  for (;;) {
    const client = new pg.Client({ ...connection, application_name: 'steward presence' });
    client.on('error', (error) => {
      log.debug({ reason: error.message }, 'Presence connection failed.');
    });
    try {
      await client.connect();
      // While the last process stops the server, this query blocks and then fails.
      await client.query('SELECT pg_advisory_lock_shared($1)', [PRESENCE_LOCK]);
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      if (isNotRunning(error)) {
        const failure = await tryStartServer(cluster);
        if (failure) deadline ??= Date.now() + START_RETRY_SECONDS * 1000;
        if (failure && Date.now() > (deadline ?? 0)) throw failure;
      } else if (!isTransient(error)) {
        throw error;
      }
      await sleep(100);
    }
  }
}

/** Whether no other process uses the server. If so, none can join until this process has left. */
export async function isLastPresence(presence: pg.Client): Promise<boolean> {
  try {
    // Releases its own lock before the check. Otherwise two processes that leave together would see each
    // other, and the server would keep running without users.
    await presence.query('SELECT pg_advisory_unlock_shared($1)', [PRESENCE_LOCK]);
    const { rows } = await presence.query('SELECT pg_try_advisory_lock($1) AS alone', [
      PRESENCE_LOCK,
    ]);
    return rows[0].alone;
  } catch {
    return false;
  }
}

/** If two processes start the server at once, PostgreSQL rejects one of them, which then joins the server. */
async function tryStartServer(cluster: Cluster): Promise<Error | null> {
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

/** Shutting down (57P01), crashed (57P02), starting (57P03), too many connections (53300), or lost. */
function isTransient(error: unknown): boolean {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const codes = ['57P01', '57P02', '57P03', '53300', 'ECONNRESET', 'EPIPE'];
  return codes.includes(code) || message.includes('terminated');
}
