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

const BACKUP_KINDS = ['scheduled', 'requested'] as const;
export type BackupKind = (typeof BACKUP_KINDS)[number];
export type BackupFile = { name: string; bytes: number; kind: BackupKind; createdAt: Date };

/** `stamp`: such as 20260601T120000Z. */
const parseStamp = (stamp: string) =>
  new Date(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*/, '$1-$2-$3T$4:$5:$6Z'));

/** The folder of scheduled and requested backups. A file name contains the time in UTC. */
export type BackupFolder = ReturnType<typeof openBackupFolder>;

/**
 * The name contains a fingerprint of the secret: panels with different secrets can share a folder. A restored copy has the
 * same secret and needs its own folder.
 */
export function openBackupFolder(folder: string, secrets: Secrets) {
  const prefix = `steward-${computeSecretCheck(secrets).slice(0, 8)}-`;
  const findKind = (name: string): BackupKind | null => {
    if (!name.startsWith(prefix)) return null;
    const [, mark] = /^\d{8}T\d{6}Z(-requested)?\.tar$/.exec(name.slice(prefix.length)) ?? [null];
    if (mark === null) return null;
    return mark === undefined ? 'scheduled' : 'requested';
  };

  const readNames = () =>
    readdir(folder).catch((cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'ENOENT' ? 'It does not exist' : cause.message;
      throw new Error(`Cannot read BACKUP_FOLDER ${folder}. ${reason}.`, { cause });
    });

  /** Newest first. */
  const list = async (kinds: readonly BackupKind[] = BACKUP_KINDS) =>
    (await readNames())
      .filter((name) => kinds.some((kind) => kind === findKind(name)))
      .toSorted()
      .toReversed();

  return {
    pathFor(time: Date, kind: BackupKind = 'scheduled'): string {
      const stamp = time.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
      return join(folder, `${prefix}${stamp}${kind === 'requested' ? '-requested' : ''}.tar`);
    },
    list: async () => (await list()).map((name) => join(folder, name)),
    /** The newest files, with what their names and sizes say. */
    async describe(limit: number): Promise<BackupFile[]> {
      const files: BackupFile[] = [];
      for (const name of (await list()).slice(0, limit)) {
        // A worker may delete the file at this moment.
        const bytes = await stat(join(folder, name)).then(
          ({ size }) => size,
          () => null,
        );
        const kind = findKind(name);
        if (bytes === null || kind === null) continue;
        files.push({ name, bytes, kind, createdAt: parseStamp(name.slice(prefix.length)) });
      }
      return files;
    },
    /** The path of a backup of this panel; null for any other name. */
    find: async (name: string): Promise<string | null> =>
      (await list()).includes(name) ? join(folder, name) : null,
    /** Removes the partial files of killed processes. A suspended process that resumes cannot publish its file. */
    async removePartial(): Promise<void> {
      const isPartial = (name: string) =>
        name.startsWith(`.${prefix}`) && name.includes(PARTIAL_MARK);
      for (const name of (await readNames()).filter(isPartial)) {
        // The process may be alive and remove the file itself at this moment.
        await rm(join(folder, name), { force: true });
      }
    },
    /**
     * Deletes all but the newest backups of the kind, and returns the number of deleted ones. Requested backups must not
     * push out the scheduled ones.
     */
    async deleteOld(keep: number, kind: BackupKind = 'scheduled'): Promise<number> {
      const old = (await list([kind])).slice(keep);
      for (const name of old) await rm(join(folder, name), { force: true });
      return old.length;
    },
  };
}
