import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { createScratchFolder } from '../scratch-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { steward } from './steward-command.ts';

/**
 * Creates one data directory with an embedded database for all tests of a file, which copy it: a copy costs a tenth of
 * the CPU time of a new database. The database has one license and is stopped.
 */
export function useEmbeddedDataDirs() {
  const template = { dataDir: '', license_key: '' };
  beforeAll(async () => {
    template.dataDir = await createScratchFolder('steward-data-');
    const create = ['license', 'create', '--plan', 'Agency', '--site-limit', 'unlimited', '--json'];
    const { code, stdout, stderr } = await steward(create, { DATA_DIR: template.dataDir });
    expect([code, stderr]).toEqual([0, '']);
    template.license_key = JSON.parse(stdout).license_key;
  });
  afterAll(() => rm(template.dataDir, { recursive: true, force: true }));
  return {
    template,
    /** Copies the data directory, by default with its owners. Removes the copy when the test ends. */
    copy({ keepsOwners = true } = {}) {
      const dataDir = join(temporaryFolder(), 'data');
      execFileSync('cp', [keepsOwners ? '-a' : '-r', template.dataDir, dataDir]);
      return { env: { DATA_DIR: dataDir }, license_key: template.license_key };
    },
  };
}
