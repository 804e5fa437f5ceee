import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createPartitionsAhead,
  grantToRuntime,
  installQueue,
  joinEmbeddedPostgres,
  migrate,
  OWNER_ROLE,
  openPool,
  RUNTIME_ROLE,
} from '@steward/panel/database';
import { createLogger, type Logger } from '@steward/panel/logger';
import { createScratchFolder } from '../scratch-folder.ts';

export type PostgresServer = { host: string; port: number; password: string };

/** The template for test databases: migrated, with the queue's tables. */
export const TEMPLATE = 'template';

/** Turns durability off for speed: test data need not survive a crash. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '500',
};

/** Starts PostgreSQL with the product's code and creates the template. */
export async function startTestPostgres() {
  const dataDir = await createScratchFolder('steward-pg-');
  const log = createLogger('warn');
  // Tests create databases as superuser. The product refuses superuser connections.
  const rules = join(dataDir, 'test_hba.conf');
  await writeFile(rules, 'local all all trust\n');
  const settings = { ...SETTINGS, hba_file: rules };
  const embedded = await joinEmbeddedPostgres({ dataDir, log, settings });
  const { host, port = 0, password } = embedded.connection;
  const server: PostgresServer = { host, port, password };
  const stop = async () => {
    await embedded.leave();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await createTemplate(server, log);
  } catch (error) {
    await stop();
    throw error;
  }
  return { server, stop };
}

async function createTemplate(server: PostgresServer, log: Logger): Promise<void> {
  const admin = openPool({ ...server, user: 'postgres', database: 'postgres' }, log);
  await admin.pool.query(`CREATE DATABASE ${TEMPLATE} OWNER ${OWNER_ROLE}`);
  await admin.close();
  const template = openPool({ ...server, user: OWNER_ROLE, database: TEMPLATE }, log);
  await migrate(template.db);
  await installQueue(template.pool);
  await grantToRuntime(template.db, RUNTIME_ROLE);
  await createPartitionsAhead(template.db, new Date());
  await template.close();
}
