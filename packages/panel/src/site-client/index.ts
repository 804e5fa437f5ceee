import type { BulkUpdateResponse, PluginActionRequest, Verdict } from '@steward/contract';
import type { SiteTimeouts } from '../platform/config.ts';
import {
  createSiteLookup,
  type SiteAddresses,
  type SiteLookup,
} from '../platform/site-addresses.ts';
import {
  type PluginActionAnswer,
  type ProofAnswer,
  readBulkUpdate,
  readPluginAction,
  readProof,
  readSync,
  readVerdict,
  type SyncAnswer,
  type VerdictAnswer,
} from './answers.ts';
import { callSite, lookAtSite, type SiteCall, type SiteLook } from './call-site.ts';
import type { Network } from './connection.ts';
import type { SiteTarget } from './endpoint.ts';
import type { SiteOutcome } from './outcome.ts';
import { isPublicAddress } from './public-address.ts';
import type { CallSigner } from './sign-call.ts';

export type { PluginActionAnswer, SiteAnswer, SyncAnswer } from './answers.ts';
export type { SiteLook } from './call-site.ts';
export type { SiteTarget } from './endpoint.ts';
export {
  type Answered,
  type Busy,
  type Failed,
  type FailureReason,
  failed,
  mayHaveActed,
  type Refused,
  type SiteOutcome,
} from './outcome.ts';

/** The one way the panel calls a site. */
export type SiteClient = {
  bulkUpdate(target: SiteTarget, options?: UpdateOptions): Promise<SiteOutcome<BulkUpdateResponse>>;
  pluginAction(
    target: SiteTarget,
    request: PluginActionRequest,
    options?: UpdateOptions,
  ): Promise<SiteOutcome<PluginActionAnswer>>;
  sync(target: SiteTarget, options?: SyncOptions): Promise<SiteOutcome<SyncAnswer>>;
  /** Whether calls come through to the plugin, and if not, why. No key is sent. */
  probe(target: Omit<SiteTarget, 'serviceKey'>): Promise<SiteProbe>;
  /** Looks at the home page, or at the endpoint, as a visitor does. */
  look(target: SiteTarget, options?: LookOptions): Promise<SiteLook>;
  /** Tells a site that cannot look at itself what was seen of it. */
  verdict(
    target: SiteTarget,
    order: { call: string; verdict: Verdict },
    options?: CallOptions,
  ): Promise<SiteOutcome<VerdictAnswer>>;
  /** Asks for the proof that the site with this key is at this address. No key is sent. */
  prove(
    target: Omit<SiteTarget, 'serviceKey'>,
    challenge: string,
    options?: { seconds?: number },
  ): Promise<SiteOutcome<ProofAnswer>>;
  /** Asks the site to check in at once. No key is sent. */
  checkNow(target: Omit<SiteTarget, 'serviceKey'>): Promise<SiteOutcome<SyncAnswer>>;
  /** Ends what is under way; whoever calls afterwards is told that the panel stops. */
  close(): Promise<void>;
};

export type CallOptions = { signal?: AbortSignal | undefined };
/** `looks`: the panel looks at the site from outside, as it was asked to. */
export type UpdateOptions = CallOptions & { looks?: boolean };
/** `seconds`: for all of the call, if that is less than the limit of an action. */
export type SyncOptions = CallOptions & { seconds?: number };

export type SiteProbe = { reachable: true } | { reachable: false; error: string };

/** The user who connects a site waits for it. */
const PROBE_SECONDS = 15;
/** No site has this key, so the plugin refuses it: that is its answer. */
const NO_KEY = 'no key: a probe';

export type LookOptions = CallOptions & { page?: 'home' | 'endpoint'; ticket?: string };

/** Half a minute is long for a page. */
const LOOK_SECONDS = 30;

export type SiteClientOptions = {
  allowPrivateSites: boolean;
  timeouts: SiteTimeouts;
  signer: CallSigner;
  siteAddresses?: SiteAddresses;
  /** The edge, for tests to set: what the DNS says, and what counts as public. */
  lookup?: SiteLookup;
  isPublic?: (address: string) => boolean;
};

export function createSiteClient({
  allowPrivateSites,
  timeouts,
  signer,
  siteAddresses = new Map(),
  lookup = createSiteLookup(siteAddresses),
  isPublic = isPublicAddress,
}: SiteClientOptions): SiteClient {
  const network: Network = {
    lookup,
    mayConnectTo: allowPrivateSites ? () => true : isPublic,
    connectMs: timeouts.connectSeconds * 1000,
  };
  const stopping = new AbortController();
  const underWay = new Set<Promise<unknown>>();

  async function call<Body>(
    request: Omit<SiteCall<Body>, 'signals'>,
    { signal }: CallOptions = {},
  ): Promise<SiteOutcome<Body>> {
    return track(callSite({ ...request, signals: signalsWith(signal) }, { network, signer }));
  }

  const signalsWith = (signal: AbortSignal | undefined) =>
    signal ? [signal, stopping.signal] : [stopping.signal];

  async function track<T>(running: Promise<T>): Promise<T> {
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  }

  return {
    bulkUpdate: (target, options) => {
      const body = options?.looks ? { outside_look: true } : {};
      const request = { path: 'remote/update', body, read: readBulkUpdate };
      return call({ ...request, target, seconds: timeouts.updateSeconds }, options);
    },

    pluginAction: (target, { action, plugin }, options) => {
      const asked = { action, plugin };
      const body = options?.looks ? { ...asked, outside_look: true } : asked;
      const request = { path: 'remote/plugin-action', body, read: readPluginAction(asked) };
      return call({ ...request, target, seconds: timeouts.actionSeconds }, options);
    },

    sync: (target, options) => {
      const request = { path: 'remote/sync', body: {}, read: readSync };
      const seconds = Math.min(options?.seconds ?? Infinity, timeouts.actionSeconds);
      return call({ ...request, target, seconds }, options);
    },

    probe: async (target) => {
      const request = { path: 'remote/sync', body: {}, read: readSync };
      const keyless = { ...target, serviceKey: NO_KEY };
      const outcome = await call({ ...request, target: keyless, seconds: PROBE_SECONDS });
      if (outcome.kind === 'answered' || isRefusedByPlugin(outcome)) return { reachable: true };
      return { reachable: false, error: outcome.error };
    },

    look: (target, { page = 'home', ticket, signal } = {}) => {
      const path = page === 'home' ? null : 'remote/sync';
      const seconds = Math.min(LOOK_SECONDS, timeouts.actionSeconds);
      const signals = signalsWith(signal);
      return track(lookAtSite({ target, path, ticket: ticket ?? null, seconds, signals }, network));
    },

    verdict: (target, order, options) => {
      const request = { path: 'remote/verdict', body: order, read: readVerdict };
      return call({ ...request, target, seconds: timeouts.actionSeconds }, options);
    },

    prove: (target, challenge, { seconds = PROBE_SECONDS } = {}) => {
      const request = { path: 'remote/proof', body: { challenge }, read: readProof };
      return call({ ...request, target: { ...target, serviceKey: '' }, seconds });
    },

    checkNow: (target) => {
      const request = { path: 'remote/check', body: {}, read: readSync };
      return call({ ...request, target: { ...target, serviceKey: '' }, seconds: PROBE_SECONDS });
    },

    async close() {
      stopping.abort();
      await Promise.allSettled(underWay);
    },
  };
}

function isRefusedByPlugin(outcome: SiteOutcome<SyncAnswer>): boolean {
  return outcome.kind === 'refused' && outcome.code === 'site_rejected_key';
}
