import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

export async function removeByPrefix(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
