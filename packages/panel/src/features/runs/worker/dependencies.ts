import type { Clock } from '../../../platform/clock.ts';
import type { Database, Trx } from '../../../platform/database/handles.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Secrets } from '../../../platform/secrets.ts';
import type { AuditService, RepeatedEvents } from '../../audit/index.ts';
import type { NotificationOutbox } from '../../notifications/index.ts';
import type { PackageService } from '../../packages/index.ts';
import type { WatchService } from '../../release-health/index.ts';
import type { SigningKeyService } from '../../signing-keys/index.ts';
import type { CallLogService, SiteService } from '../../sites/index.ts';
import type { CallQueue } from '../jobs.ts';

export type WorkerDependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  repeatedEvents: Pick<RepeatedEvents, 'record'>;
  secrets: Secrets;
  sites: Pick<
    SiteService,
    'readLastReport' | 'recordCalls' | 'storeIpAddresses' | 'storeSlowness' | 'register'
  >;
  queue: CallQueue;
  signingKeys: Pick<SigningKeyService, 'sign' | 'nonceFor'>;
  callLog: Pick<CallLogService, 'startNewLog'>;
  packages: Pick<PackageService, 'createInstallItems'>;
  notificationOutbox: Pick<NotificationOutbox, 'emit'>;
  log: Logger;
  guardRollouts: GuardRollouts;
  watches: Pick<WatchService, 'start'>;
};

/**
 * Locks the rollouts, calls `save`, and halts the rollouts whose limit the results of the ended tasks exceed, all in one
 * transaction. Rollouts are locked before runs everywhere, to prevent deadlocks, so `save` locks the runs. This is the
 * only call from runs to a feature that imports runs.
 */
export type GuardRollouts = <Saved extends { endedTaskIds: number[] }>(
  trx: Trx,
  rolloutIds: number[],
  save: () => Promise<Saved>,
) => Promise<Saved>;
