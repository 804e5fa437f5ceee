import { statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** A new folder for what one run writes and throws away. */
export function createScratchFolder(prefix: string, parent = scratchRoot()): Promise<string> {
  return mkdtemp(join(parent, prefix));
}

/** In memory if there is room, where nothing waits for a disk; TMPDIR chooses another place. */
export function scratchRoot(): string {
  if (process.env.TMPDIR) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
