import { EventEmitter } from 'node:events';
import pg from 'pg';
import { holdPanelLock, holdWorkerLock } from './database/panel-lock.ts';
import type { Logger } from './logger.ts';

/** PostgreSQL LISTEN/NOTIFY across processes, on one connection. */
export type Channels = {
  listen(channel: string): Promise<Channel>;
  close(): Promise<void>;
};

export type Channel = {
  /**
   * Returns a function that removes the listener. The listener gets an empty payload after the connection was lost and
   * opened again. Notifications in between are lost, so listeners must also poll.
   */
  on(listener: (payload: string) => void): () => void;
};

const RECONNECT_MS = 1000;
/** A firewall can drop an idle connection without a sign, and this connection is idle between notifications. */
const PING_MS = 60_000;
const PING_TIMEOUT_MS = 10_000;

export async function openChannels({
  directPool,
  log,
  runsJobs = false,
  assertSchema,
  pingMs = PING_MS,
}: {
  directPool: pg.Pool;
  log: Logger;
  /** Whether this process runs jobs, so that other processes can see that a worker is running. */
  runsJobs?: boolean;
  /** Called after the lock was lost and taken again. Meanwhile, a migration can have broken this version. */
  assertSchema?: () => Promise<unknown>;
  pingMs?: number;
}): Promise<Channels> {
  const channels = new Map<string, EventEmitter>();
  let client: pg.PoolClient | null = null;
  let release = () => {};
  let isClosed = false;
  let retryTimer: NodeJS.Timeout | undefined;

  const listenOn = (target: pg.PoolClient, channel: string) =>
    target.query(`LISTEN ${pg.escapeIdentifier(channel)}`);

  async function connect({ isReconnect }: { isReconnect: boolean }): Promise<void> {
    const connection = await directPool.connect();
    let isLost = false;
    const onLost = () => {
      if (isLost) return;
      isLost = true;
      if (client === connection) client = null;
      connection.release(true);
      scheduleReconnect();
    };
    connection.on('notification', ({ channel, payload }) =>
      channels.get(channel)?.emit('notification', payload ?? ''),
    );
    connection.once('error', onLost);
    connection.once('end', onLost);
    try {
      await holdPanelLock(connection);
      if (runsJobs) await holdWorkerLock(connection);
      for (const channel of channels.keys()) await listenOn(connection, channel);
      if (isReconnect) await assertSchema?.();
    } catch (error) {
      onLost();
      throw error;
    }
    if (isClosed) return onLost();
    client = connection;
    release = onLost;
    for (const emitter of channels.values()) emitter.emit('notification', '');
  }

  function scheduleReconnect(): void {
    if (!isClosed) retryTimer ??= setTimeout(reconnect, RECONNECT_MS).unref();
  }

  async function reconnect(): Promise<void> {
    retryTimer = undefined;
    try {
      await connect({ isReconnect: true });
    } catch (error) {
      log.debug({ reason: String(error) }, 'Could not reconnect for notifications; retrying.');
      scheduleReconnect();
    }
  }

  async function ping(): Promise<void> {
    const lose = release;
    const query = { text: 'SELECT 1', query_timeout: PING_TIMEOUT_MS };
    await client?.query(query).catch(lose);
  }

  await connect({ isReconnect: false });
  const pingTimer = setInterval(ping, pingMs).unref();
  return {
    async listen(channel) {
      const emitter = channels.get(channel) ?? new EventEmitter().setMaxListeners(0);
      channels.set(channel, emitter);
      // If the connection is lost, the next `connect` listens on the channel.
      if (client) await listenOn(client, channel);
      return {
        on(listener) {
          emitter.on('notification', listener);
          return () => emitter.off('notification', listener);
        },
      };
    },
    async close() {
      isClosed = true;
      clearTimeout(retryTimer);
      clearInterval(pingTimer);
      if (client) release();
    },
  };
}
