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
 * A PostgreSQL under the data directory that all panel processes of that directory share.
 * Whoever comes first starts it, whoever leaves last stops it, and a server that outlived its
 * panel is simply joined.
 */
export type EmbeddedPostgres = {
  /** As the role that the panel runs with. */
  connection: Connection;
  /** As the role that owns the tables. */
  ownerConnection: Connection;
  leave(): Promise<void>;
};

type Connection = pg.ClientConfig & { host: string; password: string };

type JoinOptions = {
  dataDir: string;
  log: Logger;
  /** Server settings on top of our own. */
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
  let presence = await join();

  async function join(): Promise<pg.Client> {
    const client = await establishPresence(cluster, connection, log);
    client.once('end', () => {
      if (!isLeaving) void rejoin();
    });
    return client;
  }

  /** When the server dies under us, bring it back: nobody should have to clean up by hand. */
  async function rejoin(): Promise<void> {
    log.warn('The database went away; bringing it back.');
    while (!isLeaving) {
      try {
        presence = await join();
        log.info('The database is back.');
        if (isLeaving) await depart();
        return;
      } catch (error) {
        log.error({ err: error }, 'The database could not be brought back; trying again.');
        await sleep(RETRY_MS);
      }
    }
  }

  async function depart(): Promise<void> {
    if (await isLastPresence(presence)) await cluster.stopServer();
    await presence.end().catch(() => {});
  }

  return {
    connection,
    ownerConnection,
    async leave() {
      isLeaving = true;
      await depart();
    },
  };
}
