import { basename } from 'node:path';
import type { PgBoss } from 'pg-boss';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import { DAY_SECONDS } from '../../platform/boss.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import type { BackupService } from './backup.service.ts';
import { findFolderProblem, openBackupFolder } from './backup-folder.ts';
import { NewerDatabaseError } from './create-backup.ts';
import {
  findLastBackup,
  type LastBackup,
  lockLastBackup,
  saveLastBackup,
} from './last-backup.repository.ts';

type Dependencies = {
  db: Database;
  secrets: Secrets;
  clock: Clock;
  log: Logger;
  audit: AuditService;
  notificationOutbox: NotificationOutbox;
  backups: BackupService;
};

type Settings = NonNullable<Config['backups']>;

const HOUR_MS = 3_600_000;
const WORKER: AuditOrigin = { actor: 'system', via: 'worker' };
const QUEUE_NAME = 'backups';
const EVERY_MINUTE = '* * * * *';
const HEARTBEAT_SECONDS = 30;

/** Creates a backup if the last one is old enough, and deletes the oldest ones. */
export function createScheduledBackups(deps: Dependencies, { folder, everyHours, keep }: Settings) {
  const { db, clock, log, audit, notificationOutbox, backups } = deps;
  const files = openBackupFolder(folder, deps.secrets);

  /** After a failure, the next attempt follows an hour later. */
  function isDue(last: LastBackup | null): boolean {
    if (last === null) return true;
    const hours = last.succeeded ? everyHours : Math.min(everyHours, 1);
    const age = clock.now().getTime() - last.at.getTime();
    // If the clock was ahead, the last backup is in the future. Backups must not wait until then.
    return age < 0 || age >= hours * HOUR_MS;
  }

  /** `before`: the last backup before the failed one. */
  async function recordFailure(
    path: string,
    reason: string,
    before: LastBackup | null,
  ): Promise<void> {
    const at = clock.now();
    await db.transaction().execute(async (trx) => {
      const last = await lockLastBackup(trx);
      // While this process was suspended, another one took over and created a backup.
      if (last?.succeeded && last.at.getTime() !== before?.at.getTime()) {
        log.info('Backup failure not recorded: another process has created a backup since.');
        return;
      }
      await audit.record(trx, WORKER, {
        action: 'fail',
        entityType: 'backup',
        entityId: basename(path),
        context: { outcome: 'failed', reason },
      });
      await notificationOutbox.emit(trx, {
        type: 'backup.failed',
        // Announced once a day.
        key: `backup.failed ${at.toISOString().slice(0, 10)}`,
        data: { reason },
      });
      await saveLastBackup(trx, { at, succeeded: false });
    });
  }

  /** The new backup is good, even if an old one cannot be deleted. */
  const deleteOldFiles = () =>
    files.deleteOld(keep).catch((err: Error) => {
      log.warn({ err }, 'Failed to delete old backups.');
      return 0;
    });

  return {
    async runIfDue(signal?: AbortSignal): Promise<void> {
      const before = await findLastBackup(db);
      if (!isDue(before)) return;
      const at = clock.now();
      const path = files.pathFor(at);
      try {
        await files.removePartial();
        const created = await backups.create(path, { origin: WORKER, ...(signal && { signal }) });
        await saveLastBackup(db, { at, succeeded: true });
        log.info({ ...created, deleted: await deleteOldFiles() }, 'Backup created.');
      } catch (error) {
        // A worker that stops is no failure: the next one starts the backup again.
        if (signal?.aborted) return;
        const { message: reason } = error as Error;
        if (error instanceof NewerDatabaseError) {
          log.info({ reason }, 'Backup skipped.');
          return;
        }
        log.error({ reason }, 'Backup failed.');
        await recordFailure(path, reason, before);
      }
    },
  };
}

/** Checks every minute whether a backup is due, in one of the processes with a backup folder. */
export async function startScheduledBackups(
  deps: Dependencies & { boss: PgBoss },
  settings: Settings,
): Promise<{ stop(): Promise<void> }> {
  const { boss, log } = deps;
  // Only a warning, and without waiting for it: an unmounted or hanging disk must not keep the panel from starting. Without
  // the warning, the first line about the folder would follow when the next backup is due, perhaps weeks later.
  void findFolderProblem(settings.folder).then((reason) => {
    if (reason) log.warn({ reason }, 'Scheduled backups fail until BACKUP_FOLDER can be used.');
  });
  const scheduled = createScheduledBackups(deps, settings);
  const stopping = new AbortController();
  // `stately`: at most one backup at a time. A large one takes longer than the default limit of 15 minutes.
  await boss.createQueue(QUEUE_NAME, {
    policy: 'stately',
    retryLimit: 0,
    expireInSeconds: DAY_SECONDS - 1,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    deleteAfterSeconds: 60,
  });
  await boss.schedule(QUEUE_NAME, EVERY_MINUTE);
  await boss.work(QUEUE_NAME, { pollingIntervalSeconds: 10 }, () =>
    scheduled.runIfDue(stopping.signal),
  );
  // A backup that is due at the start need not wait for the next minute. A new folder alone does not make a backup due.
  await boss.send(QUEUE_NAME, {});
  return {
    async stop() {
      stopping.abort();
      await boss.offWork(QUEUE_NAME, { wait: true });
    },
  };
}
