import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { PanelBackups } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { Database } from '../../platform/database/handles.ts';
import { isBackupRunning } from '../../platform/database/panel-lock.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import { openBackupFolder } from './backup-folder.ts';
import { type BackupResult, findLastBackup } from './last-backup.repository.ts';
import { openBackup } from './open-backup.ts';
import {
  announceRequest,
  findRequest,
  lockRequest,
  saveRequest,
} from './requested-backup.repository.ts';
import { findActivity, findNewest, isOpen } from './requested-backup.ts';

type Dependencies = {
  db: Database;
  secrets: Secrets;
  clock: Clock;
  audit: AuditService;
};

export type PanelBackupService = ReturnType<typeof createPanelBackups>;

const FILES_SHOWN = 100;

/** The backups of the panel for its owners, as far as this process can reach the folder. */
export function createPanelBackups(deps: Dependencies, { backups }: Pick<Config, 'backups'>) {
  const { db, secrets, clock, audit } = deps;
  const files = backups && openBackupFolder(backups.folder, secrets);

  async function listFiles(): Promise<Pick<PanelBackups, 'files' | 'folder_problem'>> {
    if (files === null) return { files: [], folder_problem: null };
    try {
      const found = await files.describe(FILES_SHOWN);
      return {
        files: found.map(({ createdAt, ...file }) => ({
          ...file,
          created_at: createdAt.toISOString(),
        })),
        folder_problem: null,
      };
    } catch (error) {
      return { files: [], folder_problem: (error as Error).message };
    }
  }

  /** Only a file of this panel in the folder, whatever the name contains. */
  async function findPath(name: string): Promise<string> {
    const path = (await files?.find(name)) ?? null;
    if (path === null) throw new AppError('backup_not_found');
    return path;
  }

  return {
    async view(): Promise<PanelBackups> {
      const [request, last, isRunning, found] = await Promise.all([
        findRequest(db),
        findLastBackup(db),
        isBackupRunning(db),
        listFiles(),
      ]);
      return {
        folder: backups?.folder ?? null,
        every_hours: backups?.everyHours ?? null,
        kept: backups?.keep ?? null,
        activity: findActivity(request, isRunning, clock.now()),
        last: toResult(findNewest(last, request?.result)),
        ...found,
      };
    },

    /** Requests a backup from the workers, unless one is requested already. */
    async request(actor: string): Promise<void> {
      if (backups === null) throw new AppError('backups_not_configured');
      await db.transaction().execute(async (trx) => {
        const requestedAt = clock.now();
        if (isOpen(await lockRequest(trx), requestedAt)) return;
        await saveRequest(trx, {
          ...{ requestedAt, actor, attempts: 0 },
          ...{ heartbeatAt: null, result: null },
        });
        await announceRequest(trx);
      });
    },

    /** Throws unless this panel can restore the file. Does not read its rows. */
    async check(name: string): Promise<void> {
      const path = await findPath(name);
      try {
        const backup = await openBackup(path);
        await backup.assertRestorable(secrets).finally(() => backup.close());
      } catch (error) {
        throw new AppError('backup_unreadable', { message: (error as Error).message });
      }
    },

    /** Opens a backup for a download, with an audit record. The caller closes the file. */
    async open(name: string, origin: AuditOrigin): Promise<{ file: FileHandle; bytes: number }> {
      const path = await findPath(name);
      // A link in the folder could lead to any file of the server.
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((cause) => {
        throw new AppError('backup_unreadable', { cause });
      });
      try {
        const stats = await file.stat();
        if (!stats.isFile()) throw new AppError('backup_unreadable');
        const { size: bytes } = stats;
        await db.transaction().execute((trx) =>
          audit.record(trx, origin, {
            action: 'download',
            entityType: 'backup',
            entityId: basename(path),
            context: { bytes },
          }),
        );
        return { file, bytes };
      } catch (error) {
        await file.close();
        throw error;
      }
    },
  };
}

const toResult = (result: BackupResult | null): PanelBackups['last'] =>
  result && {
    at: result.at.toISOString(),
    succeeded: result.succeeded,
    file: result.file,
    bytes: result.bytes,
    reason: result.reason,
  };
