import type { TestProject } from 'vitest/node';
import { assertPartsFor } from '../provide/assert-parts.ts';
import { prepareBed } from './prepared-bed.ts';

declare module 'vitest' {
  interface ProvidedContext {
    wordpressBed: { folder: string; socket: string };
  }
}

/** One MariaDB and one installed WordPress for the whole run, which each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  assertPartsFor('SKIP_WORDPRESS');
  const bed = await prepareBed();
  project.provide('wordpressBed', { folder: bed.folder, socket: bed.mariadb.socket });
  return bed.stop;
}
