import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Logger } from './logger.ts';

/** PostgreSQL's notifications, across processes, on one connection. */
export type Notifications = {
  listen(channel: string): Promise<Channel>;
  close(): Promise<void>;
};

export type Channel = {
  /**
   * An empty payload: the connection was lost, and notifications may have been too. Listeners also
   * look from time to time by themselves. Returns what stops the listening.
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
    let isGone = false;
    const onGone = () => {
      if (isGone) return;
      isGone = true;
      if (client === fresh) client = null;
      fresh.release(true);
      scheduleReconnect();
    };
    fresh.on('notification', ({ channel, payload }) =>
      channels.get(channel)?.emit('news', payload ?? ''),
    );
    fresh.once('error', onGone);
    fresh.once('end', onGone);
    try {
      for (const channel of channels.keys()) await listenOn(fresh, channel);
    } catch (error) {
      onGone();
      throw error;
    }
    if (isClosed) return onGone();
    client = fresh;
    release = onGone;
    for (const emitter of channels.values()) emitter.emit('news', '');
  }

  function scheduleReconnect(): void {
    if (!isClosed) retry ??= setTimeout(reconnect, RECONNECT_MS).unref();
  }

  async function reconnect(): Promise<void> {
    retry = undefined;
    try {
      await connect();
    } catch (error) {
      log.debug({ reason: String(error) }, 'Still no connection for notifications.');
      scheduleReconnect();
    }
  }

  await connect();
  return {
    async listen(channel) {
      const emitter = channels.get(channel) ?? new EventEmitter().setMaxListeners(0);
      channels.set(channel, emitter);
      // Without a connection, the next one listens to it.
      if (client) await listenOn(client, channel);
      return {
        on(listener) {
          emitter.on('news', listener);
          return () => emitter.off('news', listener);
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
