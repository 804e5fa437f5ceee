import { randomBytes } from 'node:crypto';
import { chownSync, linkSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Reads a secret from a file only its owner may read, or makes one. Written whole under another
 * name and then linked, so that two processes that start together end up with the same secret and
 * neither ever reads half of one.
 */
export function readOrCreateSecretFile(path: string): string {
  const existing = readSecretFile(path);
  if (existing !== null) return existing;

  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  // A command that an administrator runs must not lock the user of the panel out of its own file.
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(dirname(path));
    chownSync(draft, uid, gid);
  }
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  const made = readSecretFile(path);
  if (made === null) throw new Error(`${path} could not be written.`);
  return made;
}

function readSecretFile(path: string): string | null {
  try {
    const secret = readFileSync(path, 'utf8').trim();
    if (secret === '') throw new Error(`${path} is empty. Restore it from a backup.`);
    return secret;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code !== 'EACCES') throw error;
    throw new Error(`${path} belongs to another user. Run this as the user who set the panel up.`);
  }
}
