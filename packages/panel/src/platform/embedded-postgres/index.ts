import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ensureDataDir } from '../data-dir.ts';
import type { Logger } from '../logger.ts';
import { binariesFor, locateBinaries } from './binaries.ts';
import { openCluster, pgDataOf, SOCKET_PORT } from './cluster.ts';
import { chooseOsAccount } from './os-account.ts';
import { establishPresence, isLastPresence } from './presence.ts';
import { OWNER_ROLE, RUNTIME_ROLE } from './roles.ts';

/**
 * A PostgreSQL server under the data directory, shared by all panel processes of that directory. The first
 * process starts the server, and the last one stops it. A process joins a server that is still running.
 */
export type EmbeddedPostgres = {
  /** Signs in as the runtime role of the panel. */
  connection: Connection;
  /** Signs in as the role that owns the tables. */
  ownerConnection: Connection;
  leave(): Promise<void>;
};

type Connection = pg.ClientConfig & { host: string; password: string };

type JoinOptions = {
  dataDir: string;
  log: Logger;
  /** Additional server settings. */
  settings?: Record<string, string>;
};

const RETRY_MS = 1000;

export async function joinEmbeddedPostgres({
  dataDir,
  log,
  settings,
}: JoinOptions): Promise<EmbeddedPostgres> {
  const account = chooseOsAccount(ensureDataDir(dataDir), pgDataOf(dataDir));
  const binaries = binariesFor(account, await locateBinaries());
  const cluster = openCluster(dataDir, binaries, account, settings);
  const server = { host: cluster.socketDir, port: SOCKET_PORT, database: 'steward' };
  const connection = { ...server, user: RUNTIME_ROLE, password: cluster.runtimePassword };
  const ownerConnection = { ...server, user: OWNER_ROLE, password: cluster.ownerPassword };
  await cluster.initialize();

  let isLeaving = false;
  let rejoining: Promise<void> | null = null;
  let presence = await join();

  async function join(): Promise<pg.Client> {
    const client = await establishPresence(cluster, connection, log);
    client.once('end', () => {
      if (!isLeaving) rejoining = rejoin();
    });
    return client;
  }

  /** Restarts the server after it has died. Retries until it runs. */
  async function rejoin(): Promise<void> {
    log.warn('Lost the embedded database; restarting it.');
    while (!isLeaving) {
      try {
        presence = await join();
        log.info('The embedded database is running again.');
        return;
      } catch (error) {
        log.error({ err: error }, 'Could not restart the embedded database; retrying.');
        await sleep(RETRY_MS);
      }
    }
  }

  async function stopIfLast(): Promise<void> {
    if (await isLastPresence(presence)) await cluster.stopServer();
    await presence.end().catch(() => {});
  }

  return {
    connection,
    ownerConnection,
    async leave() {
      isLeaving = true;
      // Otherwise the server that is being restarted would outlive this process.
      await rejoining;
      await stopIfLast();
    },
  };
}
