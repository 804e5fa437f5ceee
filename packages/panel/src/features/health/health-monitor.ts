import { setTimeout as sleep } from 'node:timers/promises';
import { isNetworkFailure } from '@steward/contract';
import { createBatcher } from '../../platform/batcher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import { isTransientError } from '../../platform/database/is-transient-error.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { SiteClient } from '../../site-client/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import type { SiteService } from '../sites/index.ts';
import { compareSite } from './compare-site.ts';
import { findProvenTarget, toObservedTarget } from './observed-target.ts';
import { createOwnNetwork } from './own-network.ts';
import {
  claimDueSites,
  type DueSite,
  deleteOldHealth,
  findObservedSite,
  listControlSites,
  type ObservedSite,
  trackSites,
} from './reachability.repository.ts';
import { type PingOfSite, recordPings } from './record-pings.ts';
import {
  claimDueChecks,
  type DueCheck,
  finishCheck,
  isCalledNow,
} from './repeated-checks.repository.ts';

type Dependencies = {
  db: Database;
  clock: Clock;
  secrets: Pick<Secrets, 'decrypt'>;
  sites: Pick<SiteService, 'recordPings'>;
  notificationOutbox: NotificationOutbox;
  siteClient: Pick<SiteClient, 'observe' | 'requestCheckIn'>;
  log: Logger;
};

export type HealthMonitorOptions = {
  /** 0: no pings. Repeated checks after updates still run. */
  pingMinutes: number;
  /** The limit of concurrent pings of this process, and separately of its repeated checks. */
  maxConcurrent: number;
  recheckSeconds?: number;
};

const CONFIRM_SECONDS = 30;
/** A slow site is not down, so the ping that confirms an outage waits longer. */
const CONFIRM_TIMEOUT_SECONDS = 30;
/**
 * Concurrent requests of pings and calls to one server, and separately of repeated checks and calls. Other sites of this
 * server wait; sites of other servers do not. A call never waits for a ping.
 */
const MAX_PER_SERVER = 2;
const CONTROL_SITES = 5;
const MIN_CONTROL_SITES = 2;
const RECHECK_SECONDS = 5;

/** Pings sites and repeats checks after updates. Several processes share the work by claiming rows. */
export function createHealthMonitor(deps: Dependencies, options: HealthMonitorOptions) {
  const { db, clock, siteClient, log } = deps;
  const { pingMinutes, maxConcurrent, recheckSeconds = RECHECK_SECONDS } = options;
  const timing = { intervalSeconds: pingMinutes * 60, confirmSeconds: CONFIRM_SECONDS };
  const stopping = new AbortController();
  const { signal } = stopping;
  const network = createOwnNetwork();
  /** Repeated checks have their own concurrency limit: slow pings must not delay the judgement of a rollout. */
  const checks = new Set<Promise<void>>();
  /** The pings in flight, and their servers. */
  const pings = new Map<Promise<void>, string>();
  /** When this process first saw a site fail, on the monotonic clock. */
  const failingSince = new Map<number, number>();
  const results = createBatcher<PingOfSite, undefined>({
    run: async (pings) => {
      await recordPings(pings, timing, deps);
      return pings.map(() => undefined);
    },
    keyOf: ({ siteId }) => String(siteId),
    maxBatchSize: 200,
    gatherMs: 50,
    isItemError: (error) => !isTransientError(error),
  });

  const toTarget = (site: ObservedSite) => toObservedTarget(site, deps.secrets);

  async function ping(site: DueSite): Promise<void> {
    const startedAt = clock.now();
    const startedMs = performance.now();
    const seconds = site.suspected_at ? { seconds: CONFIRM_TIMEOUT_SECONDS } : {};
    const observation = await siteClient.observe(toTarget(site), { signal, ...seconds });
    if (!observation) return;
    const isReached = !isNetworkFailure(observation);
    network.record({ isReached });
    if (isReached) failingSince.delete(site.id);
    else if (!failingSince.has(site.id)) failingSince.set(site.id, startedMs);
    const isOwnNetworkSuspect =
      !isReached && site.suspected_at !== null && (await isNetworkSuspect(site));
    await results.submit({ siteId: site.id, observation, startedAt, isOwnNetworkSuspect });
  }

  /**
   * Called only before an outage or a trouble would be recorded. The first failed ping counts as a failed check without
   * it. Observes other sites if there are too few recent pings to decide.
   */
  async function isNetworkSuspect(site: ObservedSite): Promise<boolean> {
    const since = failingSince.get(site.id) ?? performance.now();
    const state = network.stateSince(since);
    if (state !== 'unknown') return state === 'suspect';
    const controls = await listControlSites(db, site, CONTROL_SITES);
    if (controls.length < MIN_CONTROL_SITES) return false;
    const observations = await Promise.all(
      controls.map((control) => siteClient.observe(toTarget(control), { signal })),
    );
    const reached = observations.some((each) => each !== null && !isNetworkFailure(each));
    if (!reached && !signal.aborted) {
      log.warn({ site: site.id }, 'No site responds. The network of the panel may be down.');
    }
    return !reached;
  }

  async function repeatCheck({ id, site_id, before, asks_for_errors }: DueCheck): Promise<void> {
    const site = await findObservedSite(db, site_id);
    if (!site) return finishCheck(db, id, { after: null, troubles: [] }, clock.now());
    const checking = { siteClient, signal, recheckSeconds, isLate: true };
    const compared = await compareSite(toTarget(site), before, checking);
    if (!compared) return;
    const { after, troubles } = compared;
    // Without a result, the check is claimed again in some minutes.
    if (troubles.length > 0 && isNetworkFailure(after) && (await isNetworkSuspect(site))) return;
    await finishCheck(db, id, compared, clock.now());
    if (asks_for_errors && !isNetworkFailure(after)) await askForErrors(site_id);
  }

  /** A site cannot report the errors of a time in which it was down, or if it cannot open its own pages. */
  async function askForErrors(siteId: number): Promise<void> {
    const target = await findProvenTarget(db, deps.secrets, siteId);
    if (target === null || (await isCalledNow(db, siteId))) return;
    await siteClient.requestCheckIn(target);
  }

  const logError = (error: Error) => {
    if (!signal.aborted) log.warn({ reason: error.message }, 'Could not check a site.');
  };

  function startCheck(check: DueCheck): Promise<void> {
    const done = repeatCheck(check)
      .catch(logError)
      .finally(() => checks.delete(done));
    checks.add(done);
    return done;
  }

  function startPing(site: DueSite): Promise<void> {
    const done = ping(site)
      .catch(logError)
      .finally(() => pings.delete(done));
    pings.set(done, site.server);
    return done;
  }

  function countPingsByServer(): Record<string, number> {
    const groups = Map.groupBy(pings.values(), (server) => server);
    return Object.fromEntries([...groups].map(([server, { length }]) => [server, length]));
  }

  return {
    /** Starts due repeated checks and pings, as many as the limit allows. Returns their promises. */
    async startDue(): Promise<Promise<void>[]> {
      if (signal.aborted) return [];
      const now = clock.now();
      const maxChecks = maxConcurrent - checks.size;
      const checkLimits = { total: maxChecks, perServer: MAX_PER_SERVER };
      const dueChecks = maxChecks > 0 ? await claimDueChecks(db, now, checkLimits) : [];
      const maxPings = pingMinutes > 0 ? maxConcurrent - pings.size : 0;
      const limits = {
        total: maxPings,
        perServer: MAX_PER_SERVER,
        pingsByServer: countPingsByServer(),
      };
      const dueSites = maxPings > 0 ? await claimDueSites(db, now, limits) : [];
      return [...dueChecks.map(startCheck), ...dueSites.map(startPing)];
    },

    /** Starts to ping newly connected sites, and stops for archived and disconnected ones. */
    async trackSites(): Promise<void> {
      if (pingMinutes > 0) await trackSites(db, clock.now(), timing.intervalSeconds);
    },

    deleteOld: () => deleteOldHealth(db, clock.now()),

    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([...checks, ...pings.keys()]);
    },
  };
}

export type HealthMonitor = ReturnType<typeof createHealthMonitor>;

const TRACK_MS = 30_000;
const DELETE_MS = 60 * 60_000;
const POLL_SECONDS = 1;

export type HealthTiming = { pollSeconds?: number };

/** Runs a monitor until `stop`. */
export function startHealthMonitor(
  monitor: HealthMonitor,
  { log, pollSeconds = POLL_SECONDS }: HealthTiming & { log: Logger },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function repeat(pauseMs: number, work: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted) {
      await work().catch((error: Error) => {
        if (!signal.aborted)
          log.warn({ reason: error.message }, 'The health monitor failed; retrying.');
      });
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  const loops = [
    repeat(TRACK_MS, () => monitor.trackSites()),
    repeat(pollSeconds * 1000, () => monitor.startDue()),
    repeat(DELETE_MS, () => monitor.deleteOld()),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      await monitor.stop();
    },
  };
}
