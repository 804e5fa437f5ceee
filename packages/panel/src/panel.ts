import { type AddedPartitions, addAuditPartitions } from './features/audit/index.ts';
import { systemClock } from './platform/clock.ts';
import { type Config, resolveSecretKey } from './platform/config.ts';
import { connectDatabase, type OwnedDatabase } from './platform/database/connect.ts';
import { prepareDatabase } from './platform/database/prepare.ts';
import { BASELINE } from './platform/database/replaced-migrations.ts';
import { assertSameSecret } from './platform/database/secret-check.ts';
import { createLoadMonitor, type LoadMonitor } from './platform/load-monitor.ts';
import type { Logger } from './platform/logger.ts';
import { createSecrets, type Secrets } from './platform/secrets.ts';
import { createServices, type Services } from './services.ts';

/** The panel without HTTP: a migrated database and the services on it. */
export type Panel = {
  connection: OwnedDatabase;
  services: Services;
  secrets: Secrets;
  load: LoadMonitor;
  migrated: string[];
  /** The partitions that the audit log got for the next months. */
  partitions: AddedPartitions;
  /** Sets the port for links if PORT is 0 and the system has chosen one. */
  setListeningPort(port: number): void;
  close(): Promise<void>;
};

export async function openPanel(config: Config, log: Logger): Promise<Panel> {
  const secrets = createSecrets(resolveSecretKey(config));
  const connection = await connectDatabase(config, log);
  try {
    const migrated = await prepareDatabase(connection);
    const partitions = await addAuditPartitions(connection, systemClock.now());
    await assertSameSecret(connection.db, secrets);
    const load = createLoadMonitor();
    const { baseUrl } = config;
    let panelUrl = baseUrl;
    const deps = {
      ...connection,
      secrets,
      clock: systemClock,
      load,
      log,
      dataDir: config.dataDir,
      newSitesPerDay: config.newSitesPerDay,
      watchHours: config.watchHours,
      baseUrl,
      getPanelUrl: () => panelUrl,
    };
    const services = createServices(deps);
    // Errors are ignored: a later seal covers the records that this one missed.
    const seal = () => services.auditChain.seal().catch(() => {});
    // Adds the records that are older than the hash chain.
    if (migrated.length > 0) await seal();
    // The first start with this database creates the file; later, a missing file raises a notice.
    // A slow disk or lock must not keep the panel from starting: the audit monitor checks again.
    const isFirst = migrated.includes(BASELINE);
    await services.auditHead.verifyAndSeal({ isFirst }).catch((error: Error) => {
      log.warn({ reason: error.message }, 'Audit verification did not run.');
    });
    return {
      connection,
      migrated,
      partitions,
      load,
      secrets,
      services,
      setListeningPort(port) {
        if (baseUrl === 'http://localhost:0') panelUrl = `http://localhost:${port}`;
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
