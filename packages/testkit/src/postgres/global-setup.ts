import type { TestProject } from 'vitest/node';
import { shareResource } from '../share-resource.ts';
import { type PostgresServer, startTestPostgres } from './test-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: PostgresServer;
  }
}

/** Starts one PostgreSQL for the whole test run. Each test file clones its own databases. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { server, stop } = await shareResource('postgres', startTestPostgres);
  project.provide('postgres', server);
  return stop;
}
