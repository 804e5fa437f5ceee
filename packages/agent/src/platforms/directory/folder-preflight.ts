import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { PREFLIGHT_ITEM_TYPES, type PreflightReport } from '@steward/contract';

const FOLDERS = { plugin: 'plugins', theme: 'themes', core: '.' } as const;

/** Returns the free space and the folders that this process cannot write to. All changes are staged in `.steward`. */
export async function checkFolders(root: string): Promise<PreflightReport> {
  const not_writable: { type: string; folder: string }[] = [];
  for (const type of PREFLIGHT_ITEM_TYPES) {
    for (const folder of ['.steward', FOLDERS[type]]) {
      if (await isWritable(join(root, folder))) continue;
      not_writable.push({ type, folder });
      break;
    }
  }
  return {
    file_changes: not_writable.length > 0 ? 'not_writable' : 'ok',
    ...(not_writable.length > 0 && { not_writable }),
    free_bytes: await readFreeBytes(root),
  };
}

/** A missing folder counts as writable: the site has no items in it. */
async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

async function readFreeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
