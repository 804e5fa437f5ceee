import { mkdirSync } from 'node:fs';

export function ensureDataDir(dataDir: string): string {
  try {
    // Everything secret inside has its own 0600 or 0700. As root the folder must let the
    // unprivileged account that runs PostgreSQL through.
    mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    return dataDir;
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new Error(
      `The data directory ${dataDir} cannot be made (${reason}). Set DATA_DIR to a folder you may write to.`,
      { cause },
    );
  }
}
