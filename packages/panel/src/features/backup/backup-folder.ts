import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secrets } from '../../platform/secrets.ts';
import { computeSecretCheck } from './backup-format.ts';
import { PARTIAL_MARK } from './backup-writer.ts';

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
