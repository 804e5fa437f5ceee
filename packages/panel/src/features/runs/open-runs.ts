import type { Config } from '../../config.ts';
import type { DatabaseConnection } from '../../database/connect.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { listenForNotifications } from '../../lib/notifications.ts';
import { openQueue } from '../../lib/queue.ts';
import type { Secrets } from '../../lib/secrets.ts';
import { createSiteLookup } from '../../lib/site-addresses.ts';
import { createSiteClient } from '../../lib/site-client/index.ts';
import type { AuditService } from '../audit/audit.service.ts';
import type { SiteAccessService } from '../site-access/site-access.service.ts';
import type { SiteService } from '../sites/sites.service.ts';
import { RUN_CHANNEL } from './runs.repository.ts';
import { createRunService, type RunService } from './runs.service.ts';
import { createAddresses } from './worker/addresses.ts';
import { startLookingForLostJobs } from './worker/lost-jobs.ts';
import type { Pauses } from './worker/perform-task.ts';
import { startRunWorker } from './worker/run-worker.ts';

type Dependencies = Pick<DatabaseConnection, 'db' | 'pool'> & {
  clock: Clock;
  secrets: Secrets;
  audit: AuditService;
  sites: SiteService;
  siteAccess: SiteAccessService;
  log: Logger;
};

/** Pauses between attempts, and how long a worker that stops waits for its calls. */
export type WorkerTiming = { pauses?: Pauses; stopWithinMs?: number };

export type Runs = {
  service: RunService;
  /** Takes no more work, and leaves what is unfinished to whoever comes next. */
  stop(): Promise<void>;
};

/** Runs, with what they need of the outside; with a worker, in this process, if `works`. */
export async function openRuns(
  deps: Dependencies,
  config: Pick<
    Config,
    'allowPrivateSites' | 'siteAddresses' | 'siteTimeouts' | 'siteCallLimits' | 'leaseSeconds'
  >,
  { works, ...timing }: { works: boolean } & WorkerTiming,
): Promise<Runs> {
  const { leaseSeconds } = config;
  const queue = await openQueue({ ...deps, leaseSeconds, supervises: works });
  const notifications = await listenForNotifications(deps, RUN_CHANNEL).catch(async (error) => {
    await queue.close();
    throw error;
  });
  const service = createRunService({ ...deps, queue, notifications });
  const worker = works
    ? startRunWorker({
        ...deps,
        queue,
        leaseSeconds,
        notifications,
        siteClient: createSiteClient({
          allowPrivateSites: config.allowPrivateSites,
          siteAddresses: config.siteAddresses,
          timeouts: config.siteTimeouts,
        }),
        limits: config.siteCallLimits,
        addresses: createAddresses(createSiteLookup(config.siteAddresses)),
        ...timing,
      })
    : null;
  const lostJobs = works ? startLookingForLostJobs({ ...deps, queue }) : null;
  return {
    service,
    async stop() {
      await lostJobs?.stop();
      await worker?.stop();
      await notifications.close();
      await queue.close();
    },
  };
}
