import { EventEmitter } from 'node:events';
import type pg from 'pg';
import type { Logger } from './logger.ts';

/**
 * News from the database, across processes. A notification may be lost with a connection, so
 * whoever listens looks from time to time by itself too.
 */
export type Notifications = {
  /** Gives what stops the listening. */
  on(listener: (payload: string) => void): () => void;
  close(): Promise<void>;
};

const RECONNECT_MS = 1000;

export async function listenForNotifications(
  { pool, log }: { pool: pg.Pool; log: Logger },
  channel: string,
): Promise<Notifications> {
  const emitter = new EventEmitter().setMaxListeners(0);
  let client: pg.PoolClient | null = null;
  let release = () => {};
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;

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
    fresh.on('notification', ({ payload }) => emitter.emit('news', payload ?? ''));
    fresh.once('error', onGone);
    fresh.once('end', onGone);
    try {
      await fresh.query(`LISTEN ${channel}`);
    } catch (error) {
      onGone();
      throw error;
    }
    if (isClosed) return onGone();
    client = fresh;
    release = onGone;
    // What was said meanwhile was not heard.
    emitter.emit('news', '');
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
    on(listener) {
      emitter.on('news', listener);
      return () => emitter.off('news', listener);
    },
    async close() {
      isClosed = true;
      clearTimeout(retry);
      if (client) release();
    },
  };
}
