import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openPool } from '../../src/database/connect.ts';
import { migrate } from '../../src/database/migrate.ts';
import { joinEmbeddedPostgres } from '../../src/lib/embedded-postgres/index.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { openQueue } from '../../src/lib/queue.ts';

declare module 'vitest' {
  interface ProvidedContext {
    server: { host: string; port: number; password: string };
  }
}

/**
 * One PostgreSQL for the whole run, started by the same code as the product's. Each test file gets
 * a database of its own, cloned from a migrated template.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'steward-test-'));
  const log = createLogger('warn');
  const embedded = await joinEmbeddedPostgres({
    dataDir,
    log,
    settings: { fsync: 'off', max_connections: '400' },
  });
  const { host, port = 0, password } = embedded.connection;
  const server = { host, port, password };

  const admin = openPool({ ...server, user: 'postgres', database: 'postgres' }, log);
  await admin.pool.query('CREATE DATABASE template OWNER steward');
  await admin.close();
  const template = openPool({ ...server, user: 'steward', database: 'template' }, log);
  await migrate(template.db);
  await (await openQueue({ ...template, log, supervises: false })).close();
  await template.close();

  project.provide('server', server);
  return async () => {
    await embedded.leave();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
