import { statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_FOLDER = '/dev/shm';
const MIN_FREE_BYTES = 4 * 1024 ** 3;

/** Creates a folder for temporary files of one test run. */
export function createScratchFolder(prefix: string, parent = scratchRoot()): Promise<string> {
  return mkdtemp(join(parent, prefix));
}

/** Returns TMPDIR if it is set, else a folder in memory if it has enough free space: memory is faster than a disk. */
export function scratchRoot(): string {
  if (process.env.TMPDIR) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize > MIN_FREE_BYTES ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}
