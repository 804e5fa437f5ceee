import type { TestProject } from 'vitest/node';
import { assertSoftwareOfTests } from '../provide/assert-parts.ts';
import { prepareBed } from './prepared-bed.ts';

declare module 'vitest' {
  interface ProvidedContext {
    wordpressBed: { folder: string; socket: string };
  }
}

/** Starts the MariaDB that all test files share, and installs the WordPress that each site is a copy of. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  assertSoftwareOfTests('SKIP_WORDPRESS');
  const bed = await prepareBed();
  project.provide('wordpressBed', { folder: bed.folder, socket: bed.mariadb.socket });
  return bed.stop;
}
