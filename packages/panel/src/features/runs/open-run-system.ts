import type { PgBoss } from 'pg-boss';
import type { Channels } from '../../platform/channels.ts';
import type { Config } from '../../platform/config.ts';
import type { Database } from '../../platform/database/handles.ts';
import { createSiteClient } from '../../site-client/index.ts';
import type { UserService } from '../accounts/index.ts';
import { startLicenseChangeNotifier } from '../licenses/index.ts';
import type { SiteAccessService } from '../site-access/index.ts';
import type { CallJobData } from './jobs.ts';
import { openQueue } from './queue.ts';
import { RUN_CHANNEL } from './runs.repository.ts';
import { createRunService } from './runs.service.ts';
import type { WorkerDependencies } from './worker/dependencies.ts';
import { startWorker, type WorkerConfig, type WorkerTiming } from './worker/worker.ts';

type Dependencies = Omit<WorkerDependencies, 'queue'> & {
  readDb: Database;
  boss: PgBoss;
  channels: Channels;
  siteAccess: SiteAccessService;
  users: UserService;
};

/** `pollSeconds`: how often an idle worker polls the queue. */
export type RunTiming = WorkerTiming & { pollSeconds?: number };

/**
 * Opens the queue of site calls and the run service. `startsWorker`: also starts a worker in this process, and notifies
 * sites of license changes.
 */
export async function openRunSystem(
  deps: Dependencies,
  config: WorkerConfig & Pick<Config, 'leaseSeconds'>,
  { startsWorker, ...timing }: { startsWorker: boolean } & RunTiming,
) {
  const { boss, channels, log } = deps;
  const { leaseSeconds } = config;
  const queueOptions = { boss, channels, log, leaseSeconds, runsJobs: startsWorker };
  const opened = new AsyncDisposableStack();
  try {
    const queue = await openQueue<CallJobData>({ ...timing, ...queueOptions });
    const changes = await channels.listen(RUN_CHANNEL);
    const service = createRunService({ ...deps, queue, changes });
    if (startsWorker) {
      opened.defer((await startWorker({ ...deps, queue }, config, timing)).stop);
      const siteClient = createSiteClient({
        ...config,
        timeouts: config.siteTimeouts,
        signer: deps.signingKeys,
      });
      opened.defer(siteClient.close);
      opened.defer(await startLicenseChangeNotifier({ ...deps, siteClient }));
    }
    // `stop` ends the fetching of tasks and releases unfinished ones to other workers.
    return { service, stop: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}
