import { timingSafeEqual } from 'node:crypto';
import { chown, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDataDir } from '../../platform/data-dir.ts';
import { createHmacSha256, type Secrets } from '../../platform/secrets.ts';

/** The number of a link, the record it links, and the start of its hash. */
export type Checkpoint = [seq: number, recordId: number, hashStart: string];

/** The end of the chain at one time, kept where rights in the database do not reach. */
export type SealedHead = {
  /** How many records the chain has; the number of its newest link. */
  records: number;
  /** The record of the newest link; 0 when there is none. */
  record_id: number;
  hash: string;
  sealed_at: string;
  /** How often an operator has accepted another head. The head of a higher epoch is the valid one. */
  epoch: number;
  /** True: no head was there to begin from, and no operator has confirmed the new one. */
  unconfirmed: boolean;
  /** Links before the newest, the newest first, to find out which record is the first missing. */
  earlier: Checkpoint[];
};

export type HeadOnDisk =
  | { state: 'present'; head: SealedHead }
  | { state: 'missing' }
  /** Damaged, or written by a program that does not have the panel's secret. */
  | { state: 'invalid' };

export type HeadFile = {
  path: string;
  read(): Promise<HeadOnDisk>;
  write(head: SealedHead): Promise<void>;
};

/** The file can be neither read nor written as things are; that says nothing about the audit log. */
export class HeadFileFault extends Error {}

const FILE_NAME = 'audit-head.json';

export function openHeadFile(dataDir: string, secrets: Secrets): HeadFile {
  const path = join(dataDir, FILE_NAME);
  const hmac = createHmacSha256(secrets.keyFor('audit_head'));
  const macOf = (head: unknown) => hmac(JSON.stringify(head));

  return {
    path,

    async read() {
      const text = await readIfThere(path).catch(complain);
      if (text === null) return { state: 'missing' };
      const content = parse(text);
      const isOurs =
        typeof content?.mac === 'string' && isEqual(content.mac, macOf(content.head ?? null));
      return isOurs ? { state: 'present', head: content.head as SealedHead } : { state: 'invalid' };
    },

    async write(head) {
      await writeWhole(dataDir, path, `${JSON.stringify({ head, mac: macOf(head) })}\n`).catch(
        complain,
      );
    },
  };
}

function complain(cause: Error): never {
  throw new HeadFileFault(cause.message, { cause });
}

/** Written whole under another name, then renamed: a crash leaves the former head or the new one. */
async function writeWhole(folder: string, path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  ensureDataDir(folder);
  try {
    await writeToDisk(draft, text);
    await keepOwner(folder, draft);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

async function readIfThere(path: string): Promise<string | null> {
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

/** A command that root runs must leave a file that the panel's own user can read. */
async function keepOwner(folder: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(path, uid, gid);
}

/** Without it, a rename may be lost with the power. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
