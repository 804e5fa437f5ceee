import { access, constants, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secrets } from '../../platform/secrets.ts';
import { computeSecretCheck } from './backup-format.ts';
import { PARTIAL_MARK } from './backup-writer.ts';

/** Returns why no backup can be written to this folder; null if it can be used. */
export async function findFolderProblem(folder: string): Promise<string | null> {
  const cannotUse = (reason: string) => `Cannot write to BACKUP_FOLDER ${folder}. ${reason}.`;
  try {
    if (!(await stat(folder)).isDirectory()) return cannotUse('It is not a folder');
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return cannotUse('It does not exist');
    if (code === 'EACCES') return cannotUse('The user of this process has no access to it');
    return cannotUse(message);
  }
}

/** The folder of scheduled backups. A file name contains the time in UTC. */
export type BackupFolder = ReturnType<typeof openBackupFolder>;

/**
 * The name contains a fingerprint of the secret: panels with different secrets can share a folder. A restored copy has the
 * same secret and needs its own folder.
 */
export function openBackupFolder(folder: string, secrets: Secrets) {
  const prefix = `steward-${computeSecretCheck(secrets).slice(0, 8)}-`;
  const isBackup = (name: string) =>
    name.startsWith(prefix) && /^\d{8}T\d{6}Z\.tar$/.test(name.slice(prefix.length));

  const readNames = () =>
    readdir(folder).catch((cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'ENOENT' ? 'It does not exist' : cause.message;
      throw new Error(`Cannot read BACKUP_FOLDER ${folder}. ${reason}.`, { cause });
    });

  /** Newest first. */
  const list = async () => (await readNames()).filter(isBackup).toSorted().toReversed();

  return {
    pathFor(time: Date): string {
      const stamp = time.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
      return join(folder, `${prefix}${stamp}.tar`);
    },
    list: async () => (await list()).map((name) => join(folder, name)),
    /** Removes the partial files of killed processes. A suspended process that resumes cannot publish its file. */
    async removePartial(): Promise<void> {
      const isPartial = (name: string) =>
        name.startsWith(`.${prefix}`) && name.includes(PARTIAL_MARK);
      for (const name of (await readNames()).filter(isPartial)) {
        // The process may be alive and remove the file itself at this moment.
        await rm(join(folder, name), { force: true });
      }
    },
    /** Deletes all but the newest backups, and returns the number of deleted ones. */
    async deleteOld(keep: number): Promise<number> {
      const old = (await list()).slice(keep);
      for (const name of old) await rm(join(folder, name), { force: true });
      return old.length;
    },
  };
}
