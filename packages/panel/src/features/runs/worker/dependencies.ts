import type { Clock } from '../../../platform/clock.ts';
import type { Database, Trx } from '../../../platform/database/tables.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Secrets } from '../../../platform/secrets.ts';
import type { AuditService, RepeatedEvents } from '../../audit/index.ts';
import type { NotificationOutbox } from '../../notifications/index.ts';
import type { PackageService } from '../../packages/index.ts';
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
  /** Called in the transaction that saves results, for runs that belong to a rollout. */
  guardRollouts: (
    trx: Trx,
    saved: {
      runs: { id: number; rollout_id: number | null; ring: number | null }[];
      taskIds: number[];
    },
    cancelRun: (runId: number) => Promise<void>,
  ) => Promise<void>;
};
