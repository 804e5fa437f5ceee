import { systemClock } from './platform/clock.ts';
import { type Config, resolveSecretKey } from './platform/config.ts';
import { connectDatabase, type OwnedDatabase } from './platform/database/connect.ts';
import { prepareDatabase } from './platform/database/prepare.ts';
import { assertSameSecret } from './platform/database/secret-check.ts';
import { createLoadMonitor, type LoadMonitor } from './platform/load-monitor.ts';
import type { Logger } from './platform/logger.ts';
import { createSecrets, type Secrets } from './platform/secrets.ts';
import { createServices, type Services } from './services.ts';

/** Everything behind the HTTP side: an up-to-date database and the features on it. */
export type Panel = {
  connection: OwnedDatabase;
  services: Services;
  secrets: Secrets;
  load: LoadMonitor;
  migrated: string[];
  /** The port that was chosen, for links that name it. */
  listensOn(port: number): void;
  close(): Promise<void>;
};

const FIRST_WITH_SEALED_HEAD = '0015_audit_head';

export async function openPanel(config: Config, log: Logger): Promise<Panel> {
  const secrets = createSecrets(resolveSecretKey(config));
  const connection = await connectDatabase(config, log);
  try {
    const migrated = await prepareDatabase(connection);
    await assertSameSecret(connection.db, secrets);
    const load = createLoadMonitor();
    const { baseUrl } = config;
    let linkBase = baseUrl;
    const deps = {
      ...connection,
      secrets,
      clock: systemClock,
      load,
      log,
      dataDir: config.dataDir,
      baseUrl,
      linkBase: () => linkBase,
    };
    const services = createServices(deps);
    // Whatever is in the way of it, a later seal takes along what this one had to leave.
    const seal = () => services.auditChain.seal().catch(() => {});
    // Records from before there was a chain come into it at once.
    if (migrated.length > 0) await seal();
    // A panel that has never sealed its head begins to; from now on a missing file is worth a notice.
    // A disk or lock that stalls must not keep the panel from starting: the watcher checks again.
    const isFirst = migrated.includes(FIRST_WITH_SEALED_HEAD);
    await services.auditHead.keep({ isFirst }).catch((error: Error) => {
      log.warn({ reason: error.message }, 'The audit log was not checked.');
    });
    return {
      connection,
      migrated,
      load,
      secrets,
      services,
      listensOn(port) {
        if (baseUrl === 'http://localhost:0') linkBase = `http://localhost:${port}`;
      },
      async close() {
        load.stop();
        await seal();
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
