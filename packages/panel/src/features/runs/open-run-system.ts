import type pg from 'pg';
import type { Config } from '../../platform/config.ts';
import { openNotifications } from '../../platform/notifications.ts';
import { openQueue } from '../../platform/queue.ts';
import { createSiteClient } from '../../site-client/index.ts';
import type { UserService } from '../accounts/index.ts';
import { startLicenseChangeNotifier } from '../licenses/index.ts';
import type { SiteAccessService } from '../site-access/index.ts';
import type { CallJobData } from './jobs.ts';
import { RUN_CHANNEL } from './runs.repository.ts';
import { createRunService } from './runs.service.ts';
import type { WorkerDependencies } from './worker/dependencies.ts';
import { startWorker, type WorkerConfig, type WorkerTiming } from './worker/worker.ts';

type Dependencies = Omit<WorkerDependencies, 'queue'> & {
  pool: pg.Pool;
  siteAccess: SiteAccessService;
  users: UserService;
};

/** `pollSeconds`: how often an idle worker polls the queue. */
export type RunTiming = WorkerTiming & { pollSeconds?: number };

export type RunSystem = Awaited<ReturnType<typeof openRunSystem>>;

/** Opens the queue and the run service. `startsWorker`: also starts a worker in this process. */
export async function openRunSystem(
  deps: Dependencies,
  config: WorkerConfig & Pick<Config, 'leaseSeconds'>,
  { startsWorker, ...timing }: { startsWorker: boolean } & RunTiming,
) {
  const opened = new AsyncDisposableStack();
  try {
    const notifications = await openNotifications(deps);
    opened.defer(notifications.close);
    const { leaseSeconds } = config;
    const queueOptions = { leaseSeconds, recoversJobs: startsWorker };
    const queue = await openQueue<CallJobData>({
      ...deps,
      ...timing,
      ...queueOptions,
      notifications,
    });
    opened.defer(queue.close);
    const channel = await notifications.listen(RUN_CHANNEL);
    const service = createRunService({ ...deps, queue, notifications: channel });
    if (startsWorker) {
      opened.defer((await startWorker({ ...deps, queue }, config, timing)).stop);
      const siteClient = createSiteClient({
        ...config,
        timeouts: config.siteTimeouts,
        signer: deps.signingKeys,
      });
      opened.defer(siteClient.close);
      opened.defer(await startLicenseChangeNotifier({ ...deps, siteClient, notifications }));
    }
    // `stop` ends the fetching of tasks and releases unfinished ones to other workers.
    return { service, stop: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}
