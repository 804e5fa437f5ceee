import { setTimeout as sleep } from 'node:timers/promises';
import { isFatal, isLoaded, type SignalObservation } from '@steward/contract';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { SiteClient, SiteTarget } from '../../site-client/index.ts';
import type { RepeatedEvents } from '../audit/index.ts';
import { findProvenTarget } from '../health/index.ts';
import { claimSitesOnProbation, type SiteOnProbation } from './plugin-links.repository.ts';

type Dependencies = {
  db: Database;
  clock: Clock;
  secrets: Pick<Secrets, 'decrypt'>;
  repeatedEvents: Pick<RepeatedEvents, 'record'>;
  siteClient: Pick<SiteClient, 'observePage' | 'sendVerdict'>;
  log: Logger;
};

const WORKER_ORIGIN: AuditOrigin = { actor: 'system', via: 'worker' };
const MAX_CONCURRENT = 10;
const PAUSE_SECONDS = 120;
const RECHECK_SECONDS = 2;
/** For all requests to a site together. A site that responds slowly would otherwise delay the checks of the others. */
const CHECK_SECONDS = 60;
const RECORDS_PER_DAY = 10;

export type PluginProbation = {
  /** Checks the sites that are due, and returns when all checks have ended. */
  checkDue(signal: AbortSignal): Promise<void>;
};

/**
 * Checks sites for some minutes after they have downloaded a new version of the Steward plugin. If a site shows an error
 * twice, the panel sends a verdict. The update guard on the site then restores the previous version, if that version has
 * caused the error: the panel cannot know this. The guard checks the site too, but some sites cannot open their own pages.
 */
export function createPluginProbation(
  deps: Dependencies,
  { recheckSeconds = RECHECK_SECONDS, checkSeconds = CHECK_SECONDS } = {},
): PluginProbation {
  const { db, clock, secrets, repeatedEvents, siteClient, log } = deps;

  async function check(site: SiteOnProbation, signal: AbortSignal): Promise<void> {
    const target = await findProvenTarget(db, secrets, site.site_id);
    if (!target || !(await isBrokenTwice(target, signal))) return;
    const message = { plugin_version: site.version, verdict: 'broken' } as const;
    // The signature authenticates this call. The key stays here, because the site is in an unknown state.
    const outcome = await siteClient.sendVerdict({ ...target, serviceKey: '' }, message, {
      signal,
    });
    const restored = outcome.kind === 'answered' && outcome.body.restored;
    log.warn(
      { site: site.site_id, version: site.version, restored },
      'A site fails after an update of the Steward plugin.',
    );
    const entry = {
      ...({ action: 'roll_back_plugin', entityType: 'site' } as const),
      ...{ entityId: site.site_id, siteId: site.site_id },
      context: { plugin_version: site.version, restored },
    };
    // A hostile site can download the plugin and fail without end.
    const limit = { recordsPerDay: RECORDS_PER_DAY };
    await db
      .transaction()
      .execute((trx) => repeatedEvents.record(trx, WORKER_ORIGIN, entry, limit));
  }

  /** A single failure may be an update in progress, or another transient error. */
  async function isBrokenTwice(target: SiteTarget, signal: AbortSignal): Promise<boolean> {
    const first = await observePages(target, signal);
    if (!first.some(isBroken)) return false;
    await sleep(recheckSeconds * 1000, undefined, { signal });
    const second = await observePages(target, signal);
    return second.some((page, index) => isBroken(page) && isBroken(first[index]));
  }

  const observePages = (target: SiteTarget, signal: AbortSignal) =>
    Promise.all(
      (['home', 'endpoint'] as const).map((page) =>
        siteClient.observePage(target, { page, signal }),
      ),
    );

  return {
    async checkDue(signal) {
      const limits = { limit: MAX_CONCURRENT, pauseSeconds: PAUSE_SECONDS };
      const sites = await claimSitesOnProbation(db, clock.now(), limits);
      const timeout = AbortSignal.timeout(checkSeconds * 1000);
      await Promise.all(
        sites.map((site) =>
          check(site, AbortSignal.any([signal, timeout])).catch((error: Error) => {
            if (signal.aborted) return;
            log.warn({ site: site.site_id, reason: error.message }, 'Could not check a site.');
          }),
        ),
      );
    },
  };
}

const isBroken = (page: SignalObservation | undefined) =>
  page !== undefined && isLoaded(page) && isFatal(page);

const POLL_MS = 15_000;

/** Checks due sites until `stop`. Several processes share the work by claiming rows. */
export function startPluginProbation(
  probation: PluginProbation,
  log: Logger,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function run(): Promise<void> {
    while (!signal.aborted) {
      await probation
        .checkDue(signal)
        .catch((error: Error) =>
          log.warn({ reason: error.message }, 'Could not read the sites on probation; retrying.'),
        );
      await sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
