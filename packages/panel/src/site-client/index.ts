import type {
  BulkUpdateResponse,
  CreateLoginRequest,
  CreateLoginResponse,
  InstallItem,
  ListLoginUsersResponse,
  PluginActionRequest,
  RestoreItem,
  SignalObservation,
  SiteObservation,
  UpdateItem,
  VerdictMessage,
} from '@steward/contract';
import type { SiteTimeouts } from '../platform/config.ts';
import { createSiteLookup, type DnsOverrides, type SiteLookup } from '../platform/dns-overrides.ts';
import { callSite, type SiteCall } from './call-site.ts';
import type { Network } from './connection.ts';
import type { SiteTarget } from './endpoint.ts';
import { type CallResult, measureCall, type SiteCallKind } from './measure-call.ts';
import { type CheckedPage, observeCheckedPage, observeSite } from './observe-site.ts';
import type { SiteOutcome } from './outcome.ts';
import { isPublicAddress } from './public-address.ts';
import {
  type PluginActionBody,
  type ProofBody,
  readBulkUpdate,
  readCreatedLogin,
  readLoginUsers,
  readPluginAction,
  readProof,
  readSync,
  readVerdict,
  type SyncBody,
  type VerdictBody,
} from './responses.ts';
import type { CallSigner } from './sign-call.ts';

export { homeOf, hostnameOf, type SiteTarget } from './endpoint.ts';
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
export { createWebhookClient, type PostWebhook } from './post-webhook.ts';
export type { PluginActionBody, SiteResponse, SyncBody } from './responses.ts';
export { buildSignatureHeaders } from './sign-call.ts';

/** All calls from the panel to sites go through this client. */
export type SiteClient = {
  bulkUpdate(target: SiteTarget, options?: UpdateOptions): Promise<SiteOutcome<BulkUpdateResponse>>;
  install(
    target: SiteTarget,
    items: InstallItem[],
    options?: ActionOptions,
  ): Promise<SiteOutcome<BulkUpdateResponse>>;
  restore(
    target: SiteTarget,
    items: RestoreItem[],
    options?: ActionOptions,
  ): Promise<SiteOutcome<BulkUpdateResponse>>;
  /** The site updates its Steward plugin. */
  selfUpdate(target: SiteTarget, options?: ActionOptions): Promise<SiteOutcome<BulkUpdateResponse>>;
  pluginAction(
    target: SiteTarget,
    request: PluginActionRequest,
    options?: ActionOptions,
  ): Promise<SiteOutcome<PluginActionBody>>;
  sync(target: SiteTarget, options?: SyncOptions): Promise<SiteOutcome<SyncBody>>;
  /** Tests whether calls reach the plugin. Sends an invalid key. */
  probe(target: Omit<SiteTarget, 'serviceKey'>): Promise<SiteProbe>;
  /** Observes the home page, the endpoint or a named page behind all caches. */
  observePage(target: SiteTarget, options?: ObservePageOptions): Promise<SignalObservation>;
  /** Observes both signals of the site. Null if the panel aborts the call. */
  observe(target: SiteTarget, options?: ObserveOptions): Promise<SiteObservation | null>;
  /** Sends the result of the health check to a site that cannot check itself. */
  sendVerdict(
    target: SiteTarget,
    message: VerdictMessage,
    options?: CallOptions,
  ): Promise<SiteOutcome<VerdictBody>>;
  /** Requests the proof of address. No key is sent. */
  requestProof(
    target: Omit<SiteTarget, 'serviceKey'>,
    challenge: string,
    options?: { seconds?: number },
  ): Promise<SiteOutcome<ProofBody>>;
  /** Requests a check-in now. No key is sent. */
  requestCheckIn(target: Omit<SiteTarget, 'serviceKey'>): Promise<SiteOutcome<SyncBody>>;
  /** Lists the users of a site that its administrator has allowed for log-in. */
  listLoginUsers(target: SiteTarget): Promise<SiteOutcome<ListLoginUsersResponse>>;
  /** Requests a token that logs a user of the panel in. */
  createLogin(
    target: SiteTarget,
    request: CreateLoginRequest,
  ): Promise<SiteOutcome<CreateLoginResponse>>;
  /** Aborts calls in flight. Later calls fail with reason `stopped`. */
  close(): Promise<void>;
};

export type CallOptions = { signal?: AbortSignal | undefined };
/**
 * `panelChecksHealth`: the panel does the health check for a site that cannot check itself. `checkPages`: further pages that
 * the site checks.
 */
export type ActionOptions = CallOptions & { panelChecksHealth?: boolean; checkPages?: string[] };
/** `items`: the site updates only these items. Null: the site installs every pending update. */
export type UpdateOptions = ActionOptions & { items?: UpdateItem[] | null };
/** `seconds`: timeout of the call, at most the timeout of an action. */
export type SyncOptions = CallOptions & { seconds?: number };

export type SiteProbe = { reachable: true } | { reachable: false; error: string };

/** Short, because a user who connects a site waits for the probe. */
const PROBE_SECONDS = 15;
/** The plugin rejects this key, which proves that the call reached the plugin. */
const INVALID_KEY = 'invalid key: a probe';

export type ObservePageOptions = CallOptions & Partial<CheckedPage>;

const PAGE_CHECK_SECONDS = 30;

/** `seconds`: timeout of each request. */
export type ObserveOptions = CallOptions & { seconds?: number };

/** Short: each task of an update waits for it. */
const OBSERVE_SECONDS = 10;

export type SiteClientOptions = {
  allowPrivateSites: boolean;
  timeouts: SiteTimeouts;
  signer: CallSigner;
  siteAddresses?: DnsOverrides;
  /** Replaced in tests, together with `isPublic`. */
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
  const inFlight = new Set<Promise<unknown>>();

  function call<Body>(
    kind: SiteCallKind,
    request: Omit<SiteCall<Body>, 'signals'>,
    { signal }: CallOptions = {},
  ): Promise<SiteOutcome<Body>> {
    return trackCall(kind, request.target, () =>
      callSite({ ...request, signals: signalsWith(signal) }, { network, signer }),
    );
  }

  const signalsWith = (signal: AbortSignal | undefined) =>
    signal ? [signal, stopping.signal] : [stopping.signal];

  async function trackCall<Result extends CallResult>(
    kind: SiteCallKind,
    { siteUrl }: Pick<SiteTarget, 'siteUrl'>,
    send: () => Promise<Result>,
  ): Promise<Result> {
    const running = measureCall({ kind, siteUrl }, send);
    inFlight.add(running);
    try {
      return await running;
    } finally {
      inFlight.delete(running);
    }
  }

  /** A call to which the site responds with a result for each item. */
  function callForItems(
    kind: SiteCallKind,
    path: string,
    target: SiteTarget,
    fields: object,
    options: ActionOptions | undefined,
  ): Promise<SiteOutcome<BulkUpdateResponse>> {
    const body = { ...fields, ...describeHealthCheck(options) };
    const request = { path, body, read: readBulkUpdate, seconds: timeouts.updateSeconds };
    return call(kind, { ...request, target }, options);
  }

  return {
    bulkUpdate: (target, options) =>
      callForItems(
        'update',
        'remote/update',
        target,
        options?.items ? { items: options.items } : {},
        options,
      ),
    install: (target, items, options) =>
      callForItems('install', 'remote/install', target, { items }, options),
    restore: (target, items, options) =>
      callForItems('restore', 'remote/restore', target, { items }, options),
    selfUpdate: (target, options) =>
      callForItems('self_update', 'remote/self-update', target, {}, options),

    pluginAction: (target, { action, plugin }, options) => {
      const pluginRequest = { action, plugin };
      const body = { ...pluginRequest, ...describeHealthCheck(options) };
      const request = { path: 'remote/plugin-action', body, read: readPluginAction(pluginRequest) };
      return call(
        'plugin_action',
        { ...request, target, seconds: timeouts.actionSeconds },
        options,
      );
    },

    sync: (target, options) => {
      const request = { path: 'remote/sync', body: {}, read: readSync };
      const seconds = Math.min(options?.seconds ?? Infinity, timeouts.actionSeconds);
      return call('sync', { ...request, target, seconds }, options);
    },

    probe: async (target) => {
      const request = { path: 'remote/sync', body: {}, read: readSync };
      const withInvalidKey = { ...target, serviceKey: INVALID_KEY };
      const outcome = await call('probe', {
        ...{ ...request, seconds: PROBE_SECONDS },
        target: withInvalidKey,
      });
      if (outcome.kind === 'answered' || isRefusedByPlugin(outcome)) return { reachable: true };
      return { reachable: false, error: outcome.error };
    },

    observePage: (target, { page = 'home', ticket = null, signal } = {}) => {
      const seconds = Math.min(PAGE_CHECK_SECONDS, timeouts.actionSeconds);
      const call = { target, seconds, signals: signalsWith(signal) };
      return trackCall('page_check', target, () =>
        observeCheckedPage({ page, ticket }, call, network),
      );
    },

    observe: (target, { signal, seconds = OBSERVE_SECONDS } = {}) => {
      const limit = Math.min(seconds, timeouts.actionSeconds);
      const call = { target, seconds: limit, signals: signalsWith(signal) };
      return trackCall('observation', target, () => observeSite(call, { network, signer }));
    },

    sendVerdict: (target, body, options) => {
      const request = { path: 'remote/verdict', body, read: readVerdict };
      return call('verdict', { ...request, target, seconds: timeouts.actionSeconds }, options);
    },

    requestProof: (target, challenge, { seconds = PROBE_SECONDS } = {}) => {
      const request = { path: 'remote/proof', body: { challenge }, read: readProof };
      return call('proof', { ...request, target: { ...target, serviceKey: '' }, seconds });
    },

    requestCheckIn: (target) => {
      const request = { path: 'remote/check', body: {}, read: readSync };
      const withoutKey = { ...target, serviceKey: '' };
      return call('check_in', { ...request, target: withoutKey, seconds: PROBE_SECONDS });
    },

    listLoginUsers: (target) => {
      const request = { path: 'remote/login-users', body: {}, read: readLoginUsers };
      return call('login_users', { ...request, target, seconds: PROBE_SECONDS });
    },

    createLogin: (target, { user, actor }) => {
      const request = { path: 'remote/login', body: { user, actor }, read: readCreatedLogin };
      return call('login', { ...request, target, isSecret: true, seconds: PROBE_SECONDS });
    },

    async close() {
      stopping.abort();
      await Promise.allSettled(inFlight);
    },
  };
}

function describeHealthCheck({ panelChecksHealth, checkPages = [] }: ActionOptions = {}) {
  return {
    ...(panelChecksHealth && { outside_look: true }),
    ...(checkPages.length > 0 && { check_pages: checkPages }),
  };
}

function isRefusedByPlugin(outcome: SiteOutcome<SyncBody>): boolean {
  return outcome.kind === 'refused' && outcome.code === 'site_rejected_key';
}
