import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { PgBoss } from 'pg-boss';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import { DAY_SECONDS } from '../../platform/boss.ts';
import type { Channels } from '../../platform/channels.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import type { BackupService } from './backup.service.ts';
import { type BackupKind, findFolderProblem, openBackupFolder } from './backup-folder.ts';
import { NewerDatabaseError } from './create-backup.ts';
import {
  type BackupResult,
  findLastBackup,
  lockLastBackup,
  saveLastBackup,
} from './last-backup.repository.ts';
import { lockRequest, REQUEST_CHANNEL, saveRequest } from './requested-backup.repository.ts';
import { ATTEMPTS_MAX, HEARTBEAT_MS, isOpen, type RequestedBackup } from './requested-backup.ts';
import { verifyBackup } from './verify-backup.ts';

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
/** Each one is as large as a scheduled one. */
const REQUESTED_KEPT = 3;
const KILLED_TOO_OFTEN = `The worker ended during each of ${ATTEMPTS_MAX} attempts. Look at its log, then request the backup again.`;

/** Creates a backup if an owner requested one or the last one is old enough, and deletes the oldest ones. */
export function createScheduledBackups(deps: Dependencies, { folder, everyHours, keep }: Settings) {
  const { db, secrets, clock, log, audit, notificationOutbox, backups } = deps;
  const files = openBackupFolder(folder, secrets);

  /** After a failure, the next attempt follows an hour later. */
  function isDue(last: BackupResult | null): boolean {
    if (last === null) return true;
    const hours = last.succeeded ? everyHours : Math.min(everyHours, 1);
    const age = clock.now().getTime() - last.at.getTime();
    // If the clock was ahead, the last backup is in the future. Backups must not wait until then.
    return age < 0 || age >= hours * HOUR_MS;
  }

  /** Creates a backup and reads it back. An unreadable file is deleted: it would push out a good one. */
  async function createVerified(
    path: string,
    options: { origin: AuditOrigin; signal?: AbortSignal },
  ): Promise<BackupResult> {
    const at = clock.now();
    await files.removePartial();
    const created = await backups.create(path, options);
    await verifyBackup(path, secrets).catch(async (cause: Error) => {
      await rm(path, { force: true });
      throw new Error(`The backup could not be read back. ${cause.message}`, { cause });
    });
    log.info(created, 'Backup created.');
    return { at, succeeded: true, file: path, bytes: created.bytes, reason: null };
  }

  /** Returns the failed result; null if the failure says nothing about backups. */
  function describeFailure(error: unknown, signal: AbortSignal | undefined): BackupResult | null {
    // A worker that stops is no failure: the next one starts the backup again.
    if (signal?.aborted) return null;
    const { message: reason } = error as Error;
    if (error instanceof NewerDatabaseError) {
      log.info({ reason }, 'Backup skipped.');
      return null;
    }
    log.error({ reason }, 'Backup failed.');
    return { at: clock.now(), succeeded: false, file: null, bytes: null, reason };
  }

  const auditFailure = (trx: Trx, origin: AuditOrigin, path: string, reason: string | null) =>
    audit.record(trx, origin, {
      action: 'fail',
      entityType: 'backup',
      entityId: basename(path),
      context: { outcome: 'failed', reason },
    });

  /** `before`: the last backup before the failed one. */
  async function recordFailure(
    path: string,
    failure: BackupResult,
    before: BackupResult | null,
  ): Promise<void> {
    const reason = failure.reason ?? '';
    await db.transaction().execute(async (trx) => {
      const last = await lockLastBackup(trx);
      // While this process was suspended, another one took over and created a backup.
      if (last?.succeeded && last.at.getTime() !== before?.at.getTime()) {
        log.info('Backup failure not recorded: another process has created a backup since.');
        return;
      }
      await auditFailure(trx, WORKER, path, reason);
      await notificationOutbox.emit(trx, {
        type: 'backup.failed',
        // Announced once a day.
        key: `backup.failed ${failure.at.toISOString().slice(0, 10)}`,
        data: { reason },
      });
      await saveLastBackup(trx, failure);
    });
  }

  /** The new backup is good, even if an old one cannot be deleted. */
  const deleteOldFiles = (kept: number, kind: BackupKind) =>
    files.deleteOld(kept, kind).catch((err: Error) => {
      log.warn({ err }, 'Failed to delete old backups.');
    });

  /** Counts an attempt. Null: there is no open request, or its workers were killed too often. */
  const beginRequested = () =>
    db.transaction().execute(async (trx) => {
      const request = await lockRequest(trx);
      if (!isOpen(request, clock.now())) return null;
      if (request.attempts >= ATTEMPTS_MAX) {
        const failed = { at: clock.now(), succeeded: false, file: null, bytes: null };
        await auditFailure(
          trx,
          originOf(request),
          files.pathFor(failed.at, 'requested'),
          KILLED_TOO_OFTEN,
        );
        await saveRequest(trx, { ...request, result: { ...failed, reason: KILLED_TOO_OFTEN } });
        return null;
      }
      const begun = { ...request, attempts: request.attempts + 1, heartbeatAt: clock.now() };
      await saveRequest(trx, begun);
      return begun;
    });

  /** `result`: null if another worker must try again. Another process may have finished the request meanwhile. */
  const endRequested = (begun: RequestedBackup, path: string, result: BackupResult | null) =>
    db.transaction().execute(async (trx) => {
      const request = await lockRequest(trx);
      if (!isSame(request, begun)) return;
      if (result && !result.succeeded) {
        await auditFailure(trx, originOf(request), path, result.reason);
      }
      const attempts = result ? request.attempts : request.attempts - 1;
      const heartbeatAt = result ? request.heartbeatAt : null;
      await saveRequest(trx, { ...request, attempts, heartbeatAt, result });
    });

  const isSame = (
    request: RequestedBackup | null,
    begun: RequestedBackup,
  ): request is RequestedBackup =>
    isOpen(request, clock.now()) && request.requestedAt.getTime() === begun.requestedAt.getTime();

  /** Returns a function that ends the heartbeat. A lost one shows the request as waiting for a while. */
  function startHeartbeat(begun: RequestedBackup): () => void {
    const beat = () =>
      db.transaction().execute(async (trx) => {
        const request = await lockRequest(trx);
        if (isSame(request, begun))
          await saveRequest(trx, { ...request, heartbeatAt: clock.now() });
      });
    const timer = setInterval(() => void beat().catch(() => {}), HEARTBEAT_MS).unref();
    return () => clearInterval(timer);
  }

  return {
    /** The file of a requested backup neither replaces nor delays a scheduled one. */
    async runRequested(signal?: AbortSignal): Promise<void> {
      const request = await beginRequested();
      if (request === null) return;
      const path = files.pathFor(clock.now(), 'requested');
      const options = { origin: originOf(request), ...(signal && { signal }) };
      const endHeartbeat = startHeartbeat(request);
      const result = await createVerified(path, options)
        .catch((error) => describeFailure(error, signal))
        .finally(endHeartbeat);
      await endRequested(request, path, result);
      if (result?.succeeded) await deleteOldFiles(REQUESTED_KEPT, 'requested');
    },

    async runIfDue(signal?: AbortSignal): Promise<void> {
      const before = await findLastBackup(db);
      if (!isDue(before)) return;
      const path = files.pathFor(clock.now());
      try {
        const options = { origin: WORKER, ...(signal && { signal }) };
        await saveLastBackup(db, await createVerified(path, options));
        await deleteOldFiles(keep, 'scheduled');
      } catch (error) {
        const failure = describeFailure(error, signal);
        if (failure) await recordFailure(path, failure, before);
      }
    },
  };
}

const originOf = ({ actor }: RequestedBackup): AuditOrigin => ({ actor, via: 'worker' });

/** Checks every minute whether a backup is due or requested, in one of the processes with a backup folder. */
export async function startScheduledBackups(
  deps: Dependencies & { boss: PgBoss; channels: Channels },
  settings: Settings,
): Promise<{ stop(): Promise<void> }> {
  const { boss, channels, log } = deps;
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
    notify: true,
  });
  await boss.schedule(QUEUE_NAME, EVERY_MINUTE);
  await boss.work(
    QUEUE_NAME,
    { pollingIntervalSeconds: 10, notifyPollingIntervalSeconds: 10 },
    async () => {
      await scheduled.runRequested(stopping.signal);
      await scheduled.runIfDue(stopping.signal);
    },
  );
  const requests = await channels.listen(REQUEST_CHANNEL);
  // If this fails, the job of the next minute finds the request.
  const stopListening = requests.on(() => void boss.send(QUEUE_NAME, {}).catch(() => {}));
  // A backup that is due at the start need not wait for the next minute. A new folder alone does not make a backup due.
  await boss.send(QUEUE_NAME, {});
  return {
    async stop() {
      stopListening();
      stopping.abort();
      await boss.offWork(QUEUE_NAME, { wait: true });
    },
  };
}
