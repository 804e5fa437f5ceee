import { startScheduledBackups } from './features/backup/index.ts';
import {
  createHealthMonitor,
  type HealthTiming,
  startHealthMonitor,
} from './features/health/index.ts';
import { announceEndingLicenses } from './features/licenses/index.ts';
import { type NotificationTiming, startNotifications } from './features/notifications/index.ts';
import { startWatchJudge, type WatchTiming } from './features/release-health/index.ts';
import { type RolloutTiming, startRolloutEngine } from './features/rollouts/index.ts';
import {
  createRestoreByRule,
  openRunSystem,
  type RunService,
  type RunTiming,
} from './features/runs/index.ts';
import { createFindWindows, startScheduler } from './features/schedules/index.ts';
import { createPluginProbation, startPluginProbation } from './features/wordpress-plugin/index.ts';
import { startHousekeeping } from './housekeeping.ts';
import { closeBoss, openBoss } from './platform/boss.ts';
import { openChannels } from './platform/channels.ts';
import type { Clock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import type { DatabaseConnection } from './platform/database/connect.ts';
import type { Logger } from './platform/logger.ts';
import type { Secrets } from './platform/secrets.ts';
import type { Services } from './services.ts';
import { createSiteClient } from './site-client/index.ts';

type Dependencies = Omit<DatabaseConnection, 'close'> &
  Services & { secrets: Secrets; clock: Clock; log: Logger };

/** The parts of a panel process that use the queue. */
export type Background = {
  runs: RunService;
  /** Stops fetching jobs and releases unfinished ones to other processes. Requests can still create runs. */
  stopJobs(): Promise<void>;
  /** Calls `stopJobs`, then closes the queue. */
  stop(): Promise<void>;
};

/**
 * Opens the queue and the run service. With `startsWorker`, this process also executes tasks, pings sites, sends
 * notifications, advances rollouts, starts schedules, deletes old data and creates scheduled backups.
 */
export async function openBackground(
  deps: Dependencies,
  config: Config,
  options: {
    startsWorker: boolean;
    /** Called after the connection for LISTEN was lost and opened again. */
    assertSchema?: () => Promise<unknown>;
    health?: HealthTiming;
    watches?: WatchTiming;
    notifications?: NotificationTiming;
    rollouts?: RolloutTiming;
  } & RunTiming,
): Promise<Background> {
  const opened = new AsyncDisposableStack();
  const jobs = new AsyncDisposableStack();
  const stopJobs = () => jobs.disposeAsync();
  const stop = async () => {
    await stopJobs();
    await opened.disposeAsync();
  };
  try {
    const channels = await openChannels({
      ...deps,
      runsJobs: options.startsWorker,
      ...(options.assertSchema && { assertSchema: options.assertSchema }),
    });
    opened.defer(channels.close);
    const boss = await openBoss({ ...deps, channels, runsJobs: options.startsWorker });
    opened.defer(() => closeBoss(boss));
    const runs = await openRunSystem({ ...deps, boss, channels }, config, options);
    jobs.defer(runs.stop);
    if (options.startsWorker) {
      const { siteTimeouts: timeouts, siteCallLimits, pingMinutes } = config;
      const siteClient = createSiteClient({ ...config, timeouts, signer: deps.signingKeys });
      jobs.defer(siteClient.close);
      const monitor = createHealthMonitor(
        { ...deps, siteClient },
        { pingMinutes, maxConcurrent: siteCallLimits.total },
      );
      jobs.defer(startHealthMonitor(monitor, { ...options.health, log: deps.log }).stop);
      const probation = createPluginProbation({ ...deps, siteClient });
      jobs.defer(startPluginProbation(probation, deps.log).stop);
      const notificationDeps = {
        ...{ ...deps, boss, channels },
        announceLicenses: () => announceEndingLicenses(deps),
      };
      const started = await startNotifications(notificationDeps, config, options.notifications);
      jobs.defer(started.stop);
      const runDeps = { ...deps, boss, channels, runs: runs.service };
      const restoreByRule = createRestoreByRule(runDeps);
      jobs.defer(startWatchJudge({ ...runDeps, restoreByRule }, options.watches).stop);
      const findWindows = createFindWindows(deps);
      jobs.defer(await startRolloutEngine({ ...runDeps, findWindows }, options.rollouts));
      await startScheduler(runDeps);
      await startHousekeeping({ ...deps, boss });
      if (config.backups) {
        const scheduled = await startScheduledBackups({ ...deps, boss, channels }, config.backups);
        jobs.defer(scheduled.stop);
      }
    }
    return { runs: runs.service, stopJobs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
