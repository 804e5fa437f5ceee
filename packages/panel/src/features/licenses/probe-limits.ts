import { setTimeout as sleep } from 'node:timers/promises';
import { type CreateLoginRequest, canonicalSiteUrl } from '@steward/contract';
import { createAddressLookup } from '../../platform/address-lookup.ts';
import type { SiteCallLimits } from '../../platform/config.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { SiteLookup } from '../../platform/dns-overrides.ts';
import { createLimiter, createLimiterByKey } from '../../platform/limiter.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  failed,
  hostnameOf,
  type SiteClient,
  type SiteProbe,
  type SiteTarget,
} from '../../site-client/index.ts';
import { claimProbe, type ProbedSite, releaseProbe } from './probe-limits.repository.ts';

/** The calls that a site or the holder of a license key can cause, and log-ins, for which a user waits. */
export type ProbeClient = {
  requestProof(
    target: ProbeTarget,
    ...rest: RequestProofArguments
  ): ReturnType<SiteClient['requestProof']>;
  /** Null if the limits left no room in time. */
  probe(target: ProbeTarget): Promise<SiteProbe | null>;
  listLoginUsers(target: LimitedTarget): ReturnType<SiteClient['listLoginUsers']>;
  createLogin(
    target: LimitedTarget,
    request: CreateLoginRequest,
  ): ReturnType<SiteClient['createLogin']>;
  /** Ends the waits; calls in progress continue. */
  close(): void;
};

export type ProbeTarget = Omit<SiteTarget, 'serviceKey'> & { licenseId: number };
type LimitedTarget = ProbeTarget & Pick<SiteTarget, 'serviceKey'>;
type RequestProofArguments =
  Parameters<SiteClient['requestProof']> extends [unknown, ...infer Rest] ? Rest : never;

/** Together with the timeout of a probe, less than the plugin waits for its report. */
const WAIT_MS = 10_000;
/** Longer than a probe. */
const LEASE_SECONDS = 30;
const CLAIM_DELAYS_MS = [50, 100, 200, 400, 800];

const NO_ROOM = failed('limited', {
  error:
    'Steward makes as many calls to this server as its limits allow, so it has not called the site. Try again in a minute.',
  sent: false,
});

type Dependencies = {
  db: Database;
  siteClient: Pick<SiteClient, 'requestProof' | 'probe' | 'listLoginUsers' | 'createLogin'>;
  lookup: SiteLookup;
  limits: SiteCallLimits;
  log: Pick<Logger, 'warn'>;
  /** How long a call waits for room. */
  waitMs?: number | undefined;
};

/**
 * Limits probes, proofs of address and log-ins: one at a time for a site, and the limits of calls in total and per address, in all
 * processes together. A license can use a part of these limits only. Calls of runs do not count: an update can last 15 minutes, and a site on the same server must
 * still be able to connect.
 */
export function createProbeClient(deps: Dependencies): ProbeClient {
  const { db, siteClient, limits, log, waitMs = WAIT_MS } = deps;
  // Leaves room for others: a holder of a license key can connect many sites that never respond.
  const ofLicense = {
    total: Math.max(1, Math.floor(limits.total / 2)),
    perAddress: Math.max(1, limits.perAddress - 1),
  };
  const addressOf = createAddressLookup(deps.lookup);
  const stopping = new AbortController();
  // Calls wait in order within this process. The claim in the database limits all processes.
  const inTotal = createLimiter(limits.total);
  const atAddress = createLimiterByKey<string>(limits.perAddress);
  const ofLicenseInTotal = createLimiterByKey<number>(ofLicense.total);
  const ofLicenseAtAddress = createLimiterByKey<string>(ofLicense.perAddress);

  /** Undefined if the limits left no room in time. */
  async function run<T>(target: ProbeTarget, call: () => Promise<T>): Promise<T | undefined> {
    const { siteUrl, licenseId } = target;
    const hostname = hostnameOf(target) ?? siteUrl;
    const canonical = canonicalSiteUrl(siteUrl);
    const site = canonical.ok ? canonical.canonical : siteUrl;
    const address = await addressOf(hostname, hostname);
    const deadline = performance.now() + waitMs;
    const withinMs = () => Math.max(0, deadline - performance.now());
    const probed = { site, address, licenseId };
    const start = () => inTotal(() => runClaimed(probed, call, deadline), withinMs());
    const startAtAddress = () => atAddress(address, start, withinMs());
    const key = `${licenseId} ${address}`;
    return ofLicenseInTotal(
      licenseId,
      () => ofLicenseAtAddress(key, startAtAddress, withinMs()),
      withinMs(),
    );
  }

  async function runClaimed<T>(
    probed: ProbedSite,
    call: () => Promise<T>,
    deadline: number,
  ): Promise<T | undefined> {
    const id = await claim(probed, deadline);
    if (id === null) return undefined;
    try {
      return await call();
    } finally {
      await releaseProbe(db, id).catch((err) => {
        log.warn({ err }, 'Could not remove a finished probe. It ends with its lease.');
      });
    }
  }

  async function claim(probed: ProbedSite, deadline: number): Promise<number | null> {
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      const id = await claimProbe(db, probed, { all: limits, ofLicense }, LEASE_SECONDS);
      const delayMs = CLAIM_DELAYS_MS[attempt] ?? 1000;
      if (id !== null || performance.now() + delayMs > deadline) return id;
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
    return null;
  }

  return {
    requestProof: async (target, ...rest) =>
      (await run(target, () => siteClient.requestProof(target, ...rest))) ?? NO_ROOM,
    probe: async (target) => (await run(target, () => siteClient.probe(target))) ?? null,
    listLoginUsers: async (target) =>
      (await run(target, () => siteClient.listLoginUsers(target))) ?? NO_ROOM,
    createLogin: async (target, request) =>
      (await run(target, () => siteClient.createLogin(target, request))) ?? NO_ROOM,
    close: () => stopping.abort(),
  };
}
