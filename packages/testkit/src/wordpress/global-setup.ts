import type { TestProject } from 'vitest/node';
import { assertPartsFor } from '../provide/assert-parts.ts';
import { prepareBed } from './prepared-bed.ts';

declare module 'vitest' {
  interface ProvidedContext {
    wordpressBed: { folder: string; socket: string };
  }
}

/** Starts one MariaDB and installs one WordPress for the whole test run. Each test file copies them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  assertPartsFor('SKIP_WORDPRESS');
  const bed = await prepareBed();
  project.provide('wordpressBed', { folder: bed.folder, socket: bed.mariadb.socket });
  return bed.stop;
}
