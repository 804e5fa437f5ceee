import type { TestProject } from 'vitest/node';
import { sharePart } from '../shared-part.ts';
import { type PostgresServer, startTestPostgres } from './test-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: PostgresServer;
  }
}

/** One PostgreSQL for the whole run; each test file clones databases of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { server, stop } = await sharePart('postgres', startTestPostgres);
  project.provide('postgres', server);
  return stop;
}
