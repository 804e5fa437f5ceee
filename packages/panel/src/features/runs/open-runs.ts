import type { Config } from '../../config.ts';
import type { DatabaseConnection } from '../../database/connect.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { openNotifications } from '../../lib/notifications.ts';
import { openQueue } from '../../lib/queue.ts';
import type { Secrets } from '../../lib/secrets.ts';
import { createSiteLookup } from '../../lib/site-addresses.ts';
import { createSiteClient } from '../../lib/site-client/index.ts';
import type { AuditService } from '../audit/audit.service.ts';
import type { SiteAccessService } from '../site-access/site-access.service.ts';
import type { SiteService } from '../sites/sites.service.ts';
import type { CallJobData, CallQueue } from './jobs.ts';
import { RUN_CHANNEL } from './runs.repository.ts';
import { createRunService, type RunService } from './runs.service.ts';
import { createAddresses } from './worker/addresses.ts';
import type { Pauses } from './worker/call-site.ts';
import { startWorker } from './worker/worker.ts';

type Dependencies = Pick<DatabaseConnection, 'db' | 'pool'> & {
  clock: Clock;
  secrets: Secrets;
  audit: AuditService;
  sites: SiteService;
  siteAccess: SiteAccessService;
  log: Logger;
};

/** Pauses between attempts, how often an idle worker looks, how long one that stops waits for its calls. */
export type WorkerTiming = { pauses?: Pauses; pollSeconds?: number; stopWithinMs?: number };

type CallConfig = Pick<
  Config,
  'allowPrivateSites' | 'siteAddresses' | 'siteTimeouts' | 'siteCallLimits'
>;

export type Runs = {
  service: RunService;
  /** Takes no more work, and leaves what is unfinished to whoever comes next. */
  stop(): Promise<void>;
};

/** Runs, with what they need of the outside; with a worker, in this process, if `works`. */
export async function openRuns(
  deps: Dependencies,
  config: CallConfig & Pick<Config, 'leaseSeconds'>,
  { works, ...timing }: { works: boolean } & WorkerTiming,
): Promise<Runs> {
  const notifications = await openNotifications(deps);
  let opened: CallQueue | undefined;
  const openAll = async () => {
    const queue = await openQueue<CallJobData>({
      ...deps,
      ...timing,
      notifications,
      leaseSeconds: config.leaseSeconds,
      supervises: works,
    });
    opened = queue;
    const news = await notifications.listen(RUN_CHANNEL);
    const service = createRunService({ ...deps, queue, notifications: news });
    const worker = works
      ? await startWorker({ ...deps, ...callingOf(config), ...timing, queue })
      : null;
    return { queue, service, worker };
  };
  const { queue, service, worker } = await openAll().catch(async (error) => {
    await opened?.close();
    await notifications.close();
    throw error;
  });
  return {
    service,
    async stop() {
      await worker?.stop();
      await queue.close();
      await notifications.close();
    },
  };
}

function callingOf(config: CallConfig) {
  const { allowPrivateSites, siteAddresses, siteTimeouts: timeouts, siteCallLimits } = config;
  return {
    siteClient: createSiteClient({ allowPrivateSites, siteAddresses, timeouts }),
    addresses: createAddresses(createSiteLookup(siteAddresses)),
    timeouts,
    limits: siteCallLimits,
  };
}
