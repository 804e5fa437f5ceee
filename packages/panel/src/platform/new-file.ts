import { link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export type NewFile = {
  write(text: string): Promise<void>;
  /** Flushes the file to disk and gives it its name. Throws if another file has the name. */
  publish(): Promise<void>;
  /** Removes the file, unless it was published. */
  discard(): Promise<void>;
};

/**
 * Creates a file that gets its name only when it is complete and on disk. A killed process leaves a hidden file, which the
 * next attempt replaces.
 */
export async function createNewFile(path: string): Promise<NewFile> {
  const temporary = join(dirname(path), `.${basename(path)}.partial`);
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', 0o600);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  return {
    write: (text) => file.writeFile(text),
    async publish() {
      await file.sync();
      await close();
      await giveName(temporary, path);
      // Without this, a power failure may undo the new name.
      const folder = await open(dirname(path), 'r');
      await folder.sync().finally(() => folder.close());
    },
    async discard() {
      await close().catch(() => {});
      await rm(temporary, { force: true });
    },
  };
}

/** A hard link never replaces a file. On file systems without hard links, an empty file first reserves the name. */
async function giveName(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
    await rm(temporary);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(code)) throw error;
    const existing = await open(path, 'wx');
    await existing.close();
    await rename(temporary, path);
  }
}
