import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export function ensureDataDir(dataDir: string): string {
  try {
    createDirectory(dataDir);
    if (!statSync(dataDir).isDirectory()) throw new Error('not a directory');
    return dataDir;
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new Error(
      `Cannot create the data directory ${dataDir} (${reason}). Set DATA_DIR to a writable directory.`,
      { cause },
    );
  }
}

/** Creates one level at a time: below /proc, the `recursive` option of Node never returns. */
function createDirectory(path: string): void {
  if (existsSync(path)) return;
  createDirectory(dirname(path));
  try {
    // Secret files inside have mode 0600 or 0700. If root creates the directory, the unprivileged account
    // that runs PostgreSQL must be able to enter it.
    mkdirSync(path, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  } catch (error) {
    // Another process may have created it at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
