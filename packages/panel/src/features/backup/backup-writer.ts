import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type BackupPart, sha256Of } from './backup-format.ts';
import { createTarHeader, createTarPadding, END_OF_ARCHIVE } from './tar.ts';

/** Writes the entries of a backup to a temporary file. */
export type BackupWriter = {
  add(name: string, content: Buffer): Promise<BackupPart>;
  /** Gives the complete file its name, and returns its size. */
  publish(): Promise<number>;
  /** Removes the temporary file, if it still exists. */
  discard(): Promise<void>;
};

/** Marks the file of a backup that is being written, or whose process was killed. */
export const PARTIAL_MARK = '.partial-';

type WriterOptions = { now: Date; replaces: boolean };

/** The file gets its name only when it is complete, so a killed backup never looks like a backup. */
export async function openBackupWriter(
  path: string,
  { now, replaces }: WriterOptions,
): Promise<BackupWriter> {
  assertNoFolder(path);
  if (!replaces) assertFree(path);
  const temporary = join(
    dirname(path),
    `.${basename(path)}${PARTIAL_MARK}${randomBytes(4).toString('hex')}`,
  );
  const explain = (error: unknown) => explainWriteError(path, error as NodeJS.ErrnoException);
  const file = await open(temporary, 'wx', 0o600).catch((error) => {
    throw explain(error);
  });
  let bytes = 0;
  let isOpen = true;

  async function write(content: Buffer): Promise<void> {
    try {
      await file.writeFile(content);
    } catch (error) {
      throw explain(error);
    }
    bytes += content.length;
  }

  return {
    async add(name, content) {
      await write(createTarHeader(name, content.length, now));
      await write(content);
      await write(createTarPadding(content.length));
      return { name, bytes: content.length, sha256: sha256Of(content) };
    },

    async publish() {
      await write(END_OF_ARCHIVE);
      try {
        await file.sync();
        await file.close();
        isOpen = false;
        await giveName(temporary, path, replaces);
        await syncFolder(dirname(path));
      } catch (error) {
        throw explainMissingPartial(path, error as NodeJS.ErrnoException) ?? explain(error);
      }
      return bytes;
    },

    async discard() {
      if (isOpen) await file.close().catch(() => {});
      isOpen = false;
      await rm(temporary, { force: true });
    },
  };
}

/** Fails before the backup is written: a file cannot replace a folder, not even with --force. */
function assertNoFolder(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new Error(`${path} is a folder. Name a file in it, such as ${join(path, 'steward.tar')}.`);
}

function assertFree(path: string): void {
  if (!existsSync(path)) return;
  throw new Error(`${path} exists. Choose another name, or replace the file with --force.`);
}

/** A hard link never replaces a file that appeared meanwhile. Some file systems have no hard links. */
async function giveName(temporary: string, path: string, replaces: boolean): Promise<void> {
  if (replaces) return rename(temporary, path);
  try {
    await link(temporary, path);
    // Another process may remove the partial file at this moment. The backup is complete without it.
    await rm(temporary, { force: true });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(code)) throw error;
    assertFree(path);
    await rename(temporary, path);
  }
}

/** Without this, a power failure may undo the rename. */
async function syncFolder(folder: string): Promise<void> {
  const handle: FileHandle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Another process removes the partial file if this process was suspended and looked killed. */
function explainMissingPartial(path: string, error: NodeJS.ErrnoException): Error | null {
  if (error.code !== 'ENOENT' || !existsSync(dirname(path))) return null;
  return new Error('Another process removed the partial file. No backup was created.', {
    cause: error,
  });
}

function explainWriteError(path: string, error: NodeJS.ErrnoException): Error {
  const folder = dirname(path);
  const sentences: Record<string, string> = {
    ENOSPC: `The disk of ${folder} is full. No backup was created.`,
    EDQUOT: `The disk quota of ${folder} is used up. No backup was created.`,
    EFBIG: `The file system or a limit of the process allows no file of this size in ${folder}. No backup was created.`,
    EACCES: `Cannot write to ${folder}: no permission. No backup was created.`,
    EPERM: `Cannot write to ${folder}: no permission. No backup was created.`,
    EROFS: `Cannot write to ${folder}: it is read-only. No backup was created.`,
    ENOENT: `The folder ${folder} does not exist. Create it first.`,
    ENOTDIR: `${folder} is not a folder.`,
    EEXIST: `${path} exists. Choose another name, or replace the file with --force.`,
  };
  const sentence = sentences[error.code ?? ''];
  return sentence ? new Error(sentence, { cause: error }) : error;
}
