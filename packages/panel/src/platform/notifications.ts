import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Logger } from './logger.ts';

/** PostgreSQL LISTEN/NOTIFY across processes, on one connection. */
export type Notifications = {
  listen(channel: string): Promise<Channel>;
  close(): Promise<void>;
};

export type Channel = {
  /**
   * An empty payload means that the connection was lost, and notifications with it. Listeners also poll.
   * Returns a function that removes the listener.
   */
  on(listener: (payload: string) => void): () => void;
};

const RECONNECT_MS = 1000;

export async function openNotifications({
  pool,
  log,
}: {
  pool: pg.Pool;
  log: Logger;
}): Promise<Notifications> {
  const channels = new Map<string, EventEmitter>();
  let client: pg.PoolClient | null = null;
  let release = () => {};
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;

  const listenOn = (connection: pg.PoolClient, channel: string) =>
    connection.query(`LISTEN ${pg.escapeIdentifier(channel)}`);

  async function connect(): Promise<void> {
    const fresh = await pool.connect();
    let isLost = false;
    const onLost = () => {
      if (isLost) return;
      isLost = true;
      if (client === fresh) client = null;
      fresh.release(true);
      scheduleReconnect();
    };
    fresh.on('notification', ({ channel, payload }) =>
      channels.get(channel)?.emit('notification', payload ?? ''),
    );
    fresh.once('error', onLost);
    fresh.once('end', onLost);
    try {
      for (const channel of channels.keys()) await listenOn(fresh, channel);
    } catch (error) {
      onLost();
      throw error;
    }
    if (isClosed) return onLost();
    client = fresh;
    release = onLost;
    for (const emitter of channels.values()) emitter.emit('notification', '');
  }

  function scheduleReconnect(): void {
    if (!isClosed) retry ??= setTimeout(reconnect, RECONNECT_MS).unref();
  }

  async function reconnect(): Promise<void> {
    retry = undefined;
    try {
      await connect();
    } catch (error) {
      log.debug({ reason: String(error) }, 'Could not reconnect for notifications; retrying.');
      scheduleReconnect();
    }
  }

  await connect();
  return {
    async listen(channel) {
      const emitter = channels.get(channel) ?? new EventEmitter().setMaxListeners(0);
      channels.set(channel, emitter);
      // Without a connection, the next connect() starts listening.
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
      clearTimeout(retry);
      if (client) release();
    },
  };
}
