import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** A new folder for what one run writes and throws away: in memory if there is room, on disk if not. */
export async function createScratchFolder(prefix: string, parent?: string): Promise<string> {
  return mkdtemp(join(parent ?? (await temporaryRoot()), prefix));
}

async function temporaryRoot(): Promise<string> {
  if (process.env.TMPDIR) return tmpdir();
  const memory = await statfs(MEMORY).catch(() => null);
  return memory && memory.bavail * memory.bsize > ENOUGH_BYTES ? MEMORY : tmpdir();
}
