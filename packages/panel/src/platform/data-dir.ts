import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export function ensureDataDir(dataDir: string): string {
  try {
    makeFolder(dataDir);
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a folder');
    return dataDir;
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new Error(
      `The data directory ${dataDir} cannot be made (${reason}). Set DATA_DIR to a folder you may write to.`,
      { cause },
    );
  }
}

/** Level by level: Node's own `recursive` never ends below /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    // Everything secret inside has its own 0600 or 0700. As root the folder must let the
    // unprivileged account that runs PostgreSQL through.
    mkdirSync(path, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  } catch (error) {
    // Another process that started together with us may have been first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
