import type pg from 'pg';
import type { Config } from '../../config.ts';
import { openNotifications } from '../../lib/notifications.ts';
import { openQueue } from '../../lib/queue.ts';
import type { SiteAccessService } from '../site-access/site-access.service.ts';
import type { CallJobData } from './jobs.ts';
import { RUN_CHANNEL } from './runs.repository.ts';
import { createRunService, type RunService } from './runs.service.ts';
import {
  startWorker,
  type WorkerConfig,
  type WorkerDependencies,
  type WorkerTiming,
} from './worker/worker.ts';

type Dependencies = Omit<WorkerDependencies, 'queue'> & {
  pool: pg.Pool;
  siteAccess: SiteAccessService;
};

export type Runs = {
  service: RunService;
  /** Takes no more work, and leaves what is unfinished to whoever comes next. */
  stop(): Promise<void>;
};

/** `pollSeconds`: how often an idle worker looks for work. */
export type RunTiming = WorkerTiming & { pollSeconds?: number };

/** Runs, with what they need of the outside; with a worker, in this process, if `works`. */
export async function openRuns(
  deps: Dependencies,
  config: WorkerConfig & Pick<Config, 'leaseSeconds'>,
  { works: supervises, ...timing }: { works: boolean } & RunTiming,
): Promise<Runs> {
  const opened = new AsyncDisposableStack();
  try {
    const notifications = await openNotifications(deps);
    opened.defer(notifications.close);
    const { leaseSeconds } = config;
    const options = { ...deps, ...timing, notifications, leaseSeconds, supervises };
    const queue = await openQueue<CallJobData>(options);
    opened.defer(queue.close);
    const news = await notifications.listen(RUN_CHANNEL);
    const service = createRunService({ ...deps, queue, notifications: news });
    if (supervises) opened.defer((await startWorker({ ...deps, queue }, config, timing)).stop);
    return { service, stop: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}
