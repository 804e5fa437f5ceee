import { randomBytes } from 'node:crypto';
import { chownSync, linkSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Reads a secret from a file, or creates the file with mode 0600. Writes a temporary file and hard-links it to
 * the path, so that two processes that start together get the same secret and never read a partial file.
 */
export function readOrCreateSecretFile(path: string): string {
  const existing = readSecretFile(path);
  if (existing !== null) return existing;

  const temporaryFile = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporaryFile, `${randomBytes(32).toString('base64url')}\n`, {
    mode: 0o600,
    flush: true,
  });
  // If root runs a command, the user of the panel must still be able to read the new file.
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(dirname(path));
    chownSync(temporaryFile, uid, gid);
  }
  try {
    linkSync(temporaryFile, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(temporaryFile);
  }
  const created = readSecretFile(path);
  if (created === null) throw new Error(`Could not write ${path}.`);
  return created;
}

/** Returns null if the file does not exist. */
export function readSecretFile(path: string): string | null {
  try {
    const secret = readFileSync(path, 'utf8').trim();
    if (secret === '') throw new Error(`${path} is empty. Restore it from a backup.`);
    return secret;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code !== 'EACCES') throw error;
    throw new Error(
      `${path} belongs to another user. Run this command as the user who set up the panel.`,
    );
  }
}
