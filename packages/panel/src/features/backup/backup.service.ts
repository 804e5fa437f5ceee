import { basename } from 'node:path';
import type pg from 'pg';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import { assertStoredSecret } from '../../platform/database/secret-check.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import type { Manifest } from './backup-format.ts';
import { openBackupWriter } from './backup-writer.ts';
import { writeBackup } from './create-backup.ts';
import type { OpenBackup } from './open-backup.ts';
import { restoreBackup } from './restore-backup.ts';

export type BackupSummary = {
  file: string;
  bytes: number;
  created_at: string;
  steward_version: string;
  tables: number;
  rows: number;
};

type Dependencies = {
  db: Database;
  /** A backup is one long transaction, which would occupy a session of a pooler. */
  directPool: pg.Pool;
  secrets: Secrets;
  clock: Clock;
  audit: AuditService;
};

type CreateOptions = { origin: AuditOrigin; replaces?: boolean; signal?: AbortSignal };

export type BackupService = ReturnType<typeof createBackupService>;

export function createBackupService({ db, directPool, secrets, clock, audit }: Dependencies) {
  return {
    /** Writes a backup while the panel runs. An error leaves no file. */
    async create(path: string, options: CreateOptions): Promise<BackupSummary> {
      const { origin, replaces = false, signal } = options;
      const now = clock.now();
      await assertStoredSecret(db, secrets);
      const writer = await openBackupWriter(path, { now, replaces });
      try {
        const manifest = await writeBackup({ pool: directPool, secrets, now, writer, signal });
        const counts = countContent(manifest);
        // Before the file gets its name: a backup contains all data, so each one must have an audit record.
        await db.transaction().execute((trx) =>
          audit.record(trx, origin, {
            action: 'create',
            entityType: 'backup',
            entityId: basename(path),
            context: counts,
          }),
        );
        const bytes = await writer.publish();
        return summarize(path, bytes, manifest);
      } finally {
        await writer.discard();
      }
    },
  };
}

export const summarize = (file: string, bytes: number, manifest: Manifest): BackupSummary => ({
  file,
  bytes,
  created_at: manifest.created_at,
  steward_version: manifest.steward_version,
  ...countContent(manifest),
});

const countContent = ({ tables }: Manifest) => ({
  tables: tables.length,
  rows: tables.reduce((sum, { rows }) => sum + rows, 0),
});

type RestoreInput = {
  /** Connects as the owner of the tables. */
  pool: pg.Pool;
  backup: OpenBackup;
  file: string;
  audit: AuditService;
  origin: AuditOrigin;
};

/** Restores a backup and writes an audit record, in one transaction. */
export async function restorePanel({ pool, backup, file, audit, origin }: RestoreInput) {
  const { created_at, steward_version } = backup.manifest;
  await restoreBackup({
    pool,
    backup,
    finish: (trx) =>
      audit.record(trx, origin, {
        action: 'restore',
        entityType: 'backup',
        entityId: basename(file),
        context: { created_at, steward_version, ...countContent(backup.manifest) },
      }),
  });
}
