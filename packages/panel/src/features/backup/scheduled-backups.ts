import { basename } from 'node:path';
import type { PgBoss } from 'pg-boss';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import { DAY_SECONDS } from '../../platform/boss.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { Database } from '../../platform/database/tables.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import type { BackupService } from './backup.service.ts';
import { openBackupFolder } from './backup-folder.ts';
import { NewerDatabaseError } from './create-backup.ts';
import { findLastBackup, saveLastBackup } from './last-backup.repository.ts';

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

  /** After a failure, the next attempt follows after an hour. */
  async function isDue(): Promise<boolean> {
    const last = await findLastBackup(db);
    if (last === null) return true;
    const hours = last.succeeded ? everyHours : Math.min(everyHours, 1);
    const age = clock.now().getTime() - last.at.getTime();
    // A clock that was wrong must not stop backups until the wrong time has come.
    return age < 0 || age >= hours * HOUR_MS;
  }

  async function recordFailure(path: string, reason: string): Promise<void> {
    const at = clock.now();
    await db.transaction().execute(async (trx) => {
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
      if (!(await isDue())) return;
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
        await recordFailure(path, reason);
      }
    },
  };
}

/** Checks every minute whether a backup is due, in one of the processes with a backup folder. */
export async function startScheduledBackups(
  deps: Dependencies & { boss: PgBoss },
  settings: Settings,
): Promise<{ stop(): Promise<void> }> {
  const { boss } = deps;
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
  // The first backup of a new folder need not wait for the next minute.
  await boss.send(QUEUE_NAME, {});
  return {
    async stop() {
      stopping.abort();
      await boss.offWork(QUEUE_NAME, { wait: true });
    },
  };
}
