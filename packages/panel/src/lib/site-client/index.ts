import type { BulkUpdateResponse, PluginActionRequest } from '@steward/contract';
import { createSiteLookup, type SiteAddresses, type SiteLookup } from '../site-addresses.ts';
import {
  type PluginActionAnswer,
  readBulkUpdate,
  readPluginAction,
  readSync,
  type SyncAnswer,
} from './answers.ts';
import { callSite, type SiteCall } from './call-site.ts';
import type { Network } from './connection.ts';
import type { SiteTarget } from './endpoint.ts';
import type { SiteOutcome } from './outcome.ts';
import { isPublicAddress } from './public-address.ts';

export type { PluginActionAnswer, SyncAnswer } from './answers.ts';
export type { SiteTarget } from './endpoint.ts';
export {
  type Answered,
  type Busy,
  type Failed,
  type FailureReason,
  mayHaveActed,
  type Refused,
  type SiteOutcome,
} from './outcome.ts';

/** The one way the panel calls a site. */
export type SiteClient = {
  bulkUpdate(target: SiteTarget, options?: CallOptions): Promise<SiteOutcome<BulkUpdateResponse>>;
  pluginAction(
    target: SiteTarget,
    request: PluginActionRequest,
    options?: CallOptions,
  ): Promise<SiteOutcome<PluginActionAnswer>>;
  sync(target: SiteTarget, options?: SyncOptions): Promise<SiteOutcome<SyncAnswer>>;
  /** Ends what is under way; whoever calls afterwards is told that the panel stops. */
  close(): Promise<void>;
};

export type CallOptions = { signal?: AbortSignal | undefined };
/** `seconds`: for all of the call, if that is less than the limit of an action. */
export type SyncOptions = CallOptions & { seconds?: number };

export type SiteTimeouts = Readonly<{
  /** For the name, the connection and its encryption together. */
  connectSeconds: number;
  /** For all of a plugin action or a sync, up to the last byte of the answer. */
  actionSeconds: number;
  updateSeconds: number;
}>;

export type SiteClientOptions = {
  allowPrivateSites: boolean;
  timeouts: SiteTimeouts;
  siteAddresses?: SiteAddresses;
  /** The edge, for tests to set: what the DNS says, and what counts as public. */
  lookup?: SiteLookup;
  isPublic?: (address: string) => boolean;
};

export function createSiteClient({
  allowPrivateSites,
  timeouts,
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
    const signals = signal ? [signal, stopping.signal] : [stopping.signal];
    const running = callSite({ ...request, signals }, network);
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  }

  return {
    bulkUpdate: (target, options) => {
      const request = { path: 'remote/update', body: {}, read: readBulkUpdate };
      return call({ ...request, target, seconds: timeouts.updateSeconds }, options);
    },

    pluginAction: (target, { action, plugin }, options) => {
      const asked = { action, plugin };
      const request = { path: 'remote/plugin-action', body: asked, read: readPluginAction(asked) };
      return call({ ...request, target, seconds: timeouts.actionSeconds }, options);
    },

    sync: (target, options) => {
      const request = { path: 'remote/sync', body: {}, read: readSync };
      const seconds = Math.min(options?.seconds ?? Infinity, timeouts.actionSeconds);
      return call({ ...request, target, seconds }, options);
    },

    async close() {
      stopping.abort();
      await Promise.allSettled(underWay);
    },
  };
}
