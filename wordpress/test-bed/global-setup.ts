import type { TestProject } from 'vitest/node';
import { lookAround, missingParts } from './parts.ts';
import { prepareBed } from './prepared-bed.ts';
import { whatIsMissing } from './provide-plan.ts';

declare module 'vitest' {
  interface ProvidedContext {
    wordpressBed: { folder: string; socket: string };
  }
}

/** One MariaDB and one installed WordPress for the whole run, which each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = missingParts(lookAround(), ['SKIP_BROWSER']);
  if (missing.length > 0) {
    throw new Error(`${whatIsMissing(missing)}\nnpm run test:provide does this by itself.`);
  }
  const bed = await prepareBed();
  project.provide('wordpressBed', { folder: bed.folder, socket: bed.mariadb.socket });
  return bed.stop;
}
