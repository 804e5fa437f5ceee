import { timingSafeEqual } from 'node:crypto';
import { chown, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDataDir } from '../../platform/data-dir.ts';
import { createHmacSha256, type Secrets } from '../../platform/secrets.ts';

/** A link that the sealed head lists: its number, its record and the start of its hash. */
export type Checkpoint = [seq: number, recordId: number, hashPrefix: string];

/** The newest link of the chain at a point in time, stored outside the database. */
export type SealedHead = {
  /** How many records the chain has; equals `seq` of the newest link. */
  records: number;
  /** Id of the record of the newest link; 0: the chain is empty. */
  record_id: number;
  hash: string;
  sealed_at: string;
  /**
   * Number of times an operator accepted a new head. If the heads in the file and in memory differ, the head with the
   * higher epoch wins; with equal epochs, the head with more records.
   */
  epoch: number;
  /** True: the file was missing, and no operator has confirmed the new head. */
  unconfirmed: boolean;
  /** Links before the newest one, newest first. They locate the first missing record. */
  checkpoints: Checkpoint[];
};

/** The sealed head in the file format, which names the checkpoints `earlier`. */
type StoredHead = Omit<SealedHead, 'checkpoints'> & { earlier: Checkpoint[] };

export type HeadOnDisk =
  | { state: 'present'; head: SealedHead }
  | { state: 'missing' }
  /** Damaged, or written without the panel's secret. */
  | { state: 'invalid' };

export type HeadFile = {
  path: string;
  read(): Promise<HeadOnDisk>;
  write(head: SealedHead): Promise<void>;
};

/** The file cannot be read or written. The audit log itself may be valid. */
export class HeadFileError extends Error {}

const FILE_NAME = 'audit-head.json';

export function openHeadFile(dataDir: string, secrets: Secrets): HeadFile {
  const path = join(dataDir, FILE_NAME);
  const hmac = createHmacSha256(secrets.keyFor('audit_head'));
  const computeMac = (head: unknown) => hmac(JSON.stringify(head));

  return {
    path,

    async read() {
      const text = await readIfExists(path).catch(throwHeadFileError);
      if (text === null) return { state: 'missing' };
      const content = parse(text);
      const isValid =
        typeof content?.mac === 'string' && isEqual(content.mac, computeMac(content.head ?? null));
      return isValid
        ? { state: 'present', head: toSealedHead(content.head as StoredHead) }
        : { state: 'invalid' };
    },

    async write(head) {
      const stored = toStoredHead(head);
      const text = `${JSON.stringify({ head: stored, mac: computeMac(stored) })}\n`;
      await writeAtomically(dataDir, path, text).catch(throwHeadFileError);
    },
  };
}

function toSealedHead({ earlier, ...head }: StoredHead): SealedHead {
  return { ...head, checkpoints: earlier };
}

function toStoredHead({ checkpoints, ...head }: SealedHead): StoredHead {
  return { ...head, earlier: checkpoints };
}

function throwHeadFileError(cause: Error): never {
  throw new HeadFileError(cause.message, { cause });
}

/** Writes to a temporary file and renames it: after a crash, the file has either the previous head or the new one. */
async function writeAtomically(folder: string, path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  ensureDataDir(folder);
  try {
    await writeToDisk(temporary, text);
    await matchOwner(folder, temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

async function readIfExists(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

function parse(text: string): { head?: unknown; mac?: unknown } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

async function writeToDisk(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** When a command runs as root, the panel's user must still be able to read the file. */
async function matchOwner(folder: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(path, uid, gid);
}

/** Without this, a power failure may undo the rename. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
