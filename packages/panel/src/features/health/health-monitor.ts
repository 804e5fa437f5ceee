import { setTimeout as sleep } from 'node:timers/promises';
import { isNetworkFailure, type WebLogin } from '@steward/contract';
import { createBatcher } from '../../platform/batcher.ts';
import type { Clock } from '../../platform/clock.ts';
import { isTransientError } from '../../platform/database/connect.ts';
import type { Database } from '../../platform/database/tables.ts';
import { createLimiter, type Limiter } from '../../platform/limiter.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { SiteClient, SiteTarget } from '../../site-client/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import type { SiteService } from '../sites/index.ts';
import { compareSite } from './compare-site.ts';
import { createOwnNetwork } from './own-network.ts';
import {
  claimDueSites,
  deleteOldHealth,
  findObservedSite,
  listControlSites,
  type ObservedSite,
  trackSites,
} from './reachability.repository.ts';
import { type PingOfSite, recordPings } from './record-pings.ts';
import { claimDueChecks, type DueCheck, finishCheck } from './repeated-checks.repository.ts';

type Dependencies = {
  db: Database;
  clock: Clock;
  secrets: Pick<Secrets, 'decrypt'>;
  sites: Pick<SiteService, 'recordPings'>;
  notificationOutbox: NotificationOutbox;
  siteClient: Pick<SiteClient, 'observe'>;
  log: Logger;
};

export type HealthMonitorOptions = {
  /** 0: no pings. Repeated checks after updates still run. */
  pingMinutes: number;
  /** Concurrent observations of this process. */
  maxConcurrent: number;
  recheckSeconds?: number;
};

const CONFIRM_SECONDS = 30;
/** A slow site is not down, so the ping that confirms an outage waits longer. */
const CONFIRM_TIMEOUT_SECONDS = 30;
const MAX_PER_ADDRESS = 2;
/** Shorter than a claim. A site that waits longer for its server is claimed again later. */
const MAX_WAIT_MS = 60_000;
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
  const inFlight = new Set<Promise<void>>();
  const limiters = new Map<string, Limiter>();
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

  function toTarget(site: ObservedSite): SiteTarget {
    const { web_login_encrypted: login, site_key_encrypted: key } = site;
    const webLogin: WebLogin | null =
      login && JSON.parse(deps.secrets.decrypt(login, 'site_web_login'));
    const endpoint = { endpointUrl: site.endpoint_url, endpointOrigin: site.endpoint_origin };
    // The key verifies the proof; it is not sent.
    const serviceKey = key ? deps.secrets.decrypt(key, 'site_key') : '';
    return { siteUrl: site.url, ...endpoint, serviceKey, webLogin };
  }

  /** Sites of one server share its concurrency limit. */
  function limiterOf({ address, url }: ObservedSite): Limiter {
    const key = address ?? URL.parse(url)?.hostname ?? url;
    const limiter = limiters.get(key) ?? createLimiter(MAX_PER_ADDRESS);
    limiters.set(key, limiter);
    return limiter;
  }

  async function ping(site: ObservedSite & { suspected_at: Date | null }): Promise<void> {
    const startedAt = clock.now();
    const startedMs = performance.now();
    const seconds = site.suspected_at ? { seconds: CONFIRM_TIMEOUT_SECONDS } : {};
    const observation = await limiterOf(site)(
      () => siteClient.observe(toTarget(site), { signal, ...seconds }),
      MAX_WAIT_MS,
    );
    if (!observation) return;
    const isReached = !isNetworkFailure(observation);
    network.record({ isReached });
    if (isReached) failingSince.delete(site.id);
    else if (!failingSince.has(site.id)) failingSince.set(site.id, startedMs);
    const isOwnNetworkSuspect =
      !isReached && site.suspected_at !== null && (await isNetworkSuspect(site));
    await results.submit({ siteId: site.id, observation, startedAt, isOwnNetworkSuspect });
  }

  /** Called only before a site would count as down. Tests other sites if there are too few recent pings to decide. */
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

  async function repeatCheck({ id, site_id, before }: DueCheck): Promise<void> {
    const site = await findObservedSite(db, site_id);
    const disconnected = { after: null, troubles: [] };
    const compared = site
      ? await compareSite(toTarget(site), before, { siteClient, signal, recheckSeconds })
      : disconnected;
    if (compared) await finishCheck(db, id, compared, clock.now());
  }

  function track(work: Promise<void>): Promise<void> {
    const done = work
      .catch((error: Error) => {
        if (!signal.aborted) log.warn({ reason: error.message }, 'Could not check a site.');
      })
      .finally(() => inFlight.delete(done));
    inFlight.add(done);
    return done;
  }

  return {
    /** Starts due repeated checks and pings, as many as the limit allows. Returns their promises. */
    async startDue(): Promise<Promise<void>[]> {
      const free = maxConcurrent - inFlight.size;
      if (free <= 0 || signal.aborted) return [];
      const now = clock.now();
      const checks = await claimDueChecks(db, now, free);
      const left = free - checks.length;
      const sites = pingMinutes > 0 && left > 0 ? await claimDueSites(db, now, left) : [];
      return [
        ...checks.map((check) => track(repeatCheck(check))),
        ...sites.map((site) => track(ping(site))),
      ];
    },

    /** Starts to ping newly connected sites, and stops for archived and disconnected ones. */
    async trackSites(): Promise<void> {
      // Sites change their addresses, so the map would grow without end.
      if (limiters.size > 10_000) limiters.clear();
      if (pingMinutes > 0) await trackSites(db, clock.now(), timing.intervalSeconds);
    },

    deleteOld: () => deleteOldHealth(db, clock.now()),

    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(inFlight);
    },
  };
}

export type HealthMonitor = ReturnType<typeof createHealthMonitor>;

const TRACK_MS = 30_000;
const DELETE_MS = 60 * 60_000;
const POLL_SECONDS = 1;

/** Runs a monitor until `stop`. */
export function startHealthMonitor(
  monitor: HealthMonitor,
  { log, pollSeconds = POLL_SECONDS }: { log: Logger; pollSeconds?: number },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function repeat(pauseMs: number, work: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted) {
      await work().catch((error: Error) => {
        if (!signal.aborted) log.warn({ reason: error.message }, 'Could not check the sites.');
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
