import { createHash, timingSafeEqual } from 'node:crypto';
import {
  ProofRequest,
  SERVICE_KEY_HEADER,
  SIGNATURE_HEADER,
  SITE_API_PREFIX,
  type SiteOperation,
} from '@steward/contract';
import Value from 'typebox/value';
import { refreshAndReport, runBulkUpdate } from './bulk-update.ts';
import { logCall } from './call-log.ts';
import { createProof, createSignatureCheck, type ReceivedCall } from './call-signature.ts';
import { installItems, restoreItems } from './package-items.ts';
import { isManagementPlugin, type Platform } from './platform.ts';
import { readPluginAction, runPluginAction } from './plugin-action.ts';
import { readInstallItems, readRestoreItems } from './read-package-items.ts';
import { readUpdateItems } from './read-update-items.ts';
import { SiteError } from './site-error.ts';
import { isRemoteEnabled, type OptionsStore, type SiteOptions } from './site-options.ts';
import type { WriterLock } from './writer-lock.ts';

export type SiteHandler = (request: Request) => Promise<Response>;

export type SiteHandlerOptions = {
  siteUrl: string;
  platform: Platform;
  options: OptionsStore;
  lock: WriterLock;
  /** Reports the current inventory to the panel. */
  reportInventory(): Promise<void>;
  /** The site accepts calls with the site key and no signature. */
  acceptsUnsignedCalls?: boolean;
  /** Checks in at the panel now. */
  checkIn?(): Promise<unknown>;
  now?(): Date;
  /** Receives unexpected errors and errors that the response omits, for the log. */
  onError(error: unknown): void;
};

const BODY_LIMIT_BYTES = 64 * 1024;

type Route = {
  /**
   * `key` requires the site key, plus a signature if the site stores the panel's public key and does not accept
   * unsigned calls. `signature` requires a signature and no key. `key_and_signature` always requires both.
   */
  access: SiteOperation['access'];
  run(call: ReceivedCall): Promise<object>;
};

/** The endpoints that the panel calls on a site. */
export function createSiteHandler(site: SiteHandlerOptions): SiteHandler {
  const { siteUrl, platform, options, lock, now = () => new Date() } = site;
  const checkSignature = createSignatureCheck({ siteUrl, options, now });

  /** Runs a call under the writer lock. Logs it first, so that the log contains it even if the site crashes. */
  const runLogged = <T>(call: ReceivedCall, work: () => Promise<T>): Promise<T> =>
    lock.runExclusive(async () => {
      await logCall(options, call, now());
      return work();
    });

  const routes: Record<string, Route> = {
    'remote/update': {
      access: 'key',
      async run(call) {
        const items = readUpdateItems(call.body.trim() === '' ? {} : parseJson(call.body));
        return runLogged(call, async () => {
          if (!(await platform.allowsFileChanges())) throw new SiteError('file_changes_disabled');
          const { panel_capabilities } = await options.read();
          const panelReadsDetails = panel_capabilities.includes('result_details');
          return runBulkUpdate(platform, site.reportInventory, { items, panelReadsDetails });
        });
      },
    },

    'remote/install': {
      access: 'key_and_signature',
      async run(call) {
        const items = readInstallItems(parseJson(call.body));
        return runLogged(call, async () => {
          if (!(await platform.allowsFileChanges())) throw new SiteError('file_changes_disabled');
          const { service_panel_url: panelUrl } = await options.read();
          return installItems(platform, site.reportInventory, { items, panelUrl });
        });
      },
    },

    'remote/restore': {
      access: 'key',
      async run(call) {
        const items = readRestoreItems(parseJson(call.body));
        return runLogged(call, async () => {
          if (!(await platform.allowsFileChanges())) throw new SiteError('file_changes_disabled');
          return restoreItems(platform, site.reportInventory, items);
        });
      },
    },

    'remote/plugin-action': {
      access: 'key',
      async run(call) {
        const request = readPluginAction(parseJson(call.body));
        if (isManagementPlugin(platform, request.plugin)) throw new SiteError('management_plugin');
        // Look up the plugin under the lock: during an update its files are missing for a moment.
        await runLogged(call, async () => {
          try {
            await runPluginAction(platform, request);
          } finally {
            // Report after a failed action too. An error of the report must not fail the action.
            await site.reportInventory().catch(site.onError);
          }
        });
        return { success: true, ...request };
      },
    },

    'remote/sync': {
      access: 'key',
      run: () =>
        lock.runExclusive(async () => {
          const failures = await refreshAndReport(platform, site.reportInventory);
          if (failures.length > 0) throw new SiteError('action_failed', failures.join(' '));
          return { success: true };
        }),
    },

    'remote/proof': {
      access: 'signature',
      async run({ body }) {
        const request = parseJson(body);
        if (!Value.Check(ProofRequest, request)) throw new SiteError('invalid_request');
        const { service_license_key } = await options.read();
        const proof = createProof(request.challenge, siteUrl, service_license_key ?? '');
        return { success: true, proof };
      },
    },

    'remote/check': {
      access: 'signature',
      async run() {
        // Not awaited: the check-in calls the panel, which waits for this response.
        site.checkIn?.().catch(site.onError);
        return { success: true };
      },
    },
  };

  /** Checks the key, the size, the signature and whether remote management is enabled, in this order. */
  async function authenticateCall(
    request: Request,
    stored: SiteOptions,
    { endpoint, access }: { endpoint: string; access: Route['access'] },
  ): Promise<ReceivedCall> {
    const { headers } = request;
    if (access !== 'signature')
      assertKey(headers.get(SERVICE_KEY_HEADER), stored.service_license_key);
    const body = await request.text();
    if (Buffer.byteLength(body) > BODY_LIMIT_BYTES) throw new SiteError('request_too_large');
    const { signing_key: publicKey } = stored;
    const mayBeUnsigned = site.acceptsUnsignedCalls && !headers.has(SIGNATURE_HEADER);
    // Without the panel's public key, the site cannot verify a signature, so calls with `key` need none.
    const needsSignature = access !== 'key' || (publicKey !== null && !mayBeUnsigned);
    const call = { route: `/service/v1/${endpoint}`, headers, body };
    if (needsSignature && !(await checkSignature(call, publicKey))) {
      throw new SiteError('invalid_signature');
    }
    if (access !== 'signature' && !isRemoteEnabled(stored, now()))
      throw new SiteError('remote_disabled');
    return call;
  }

  return async (request) => {
    try {
      const endpoint = parseEndpoint(new URL(request.url).pathname) ?? '';
      const route = Object.hasOwn(routes, endpoint) ? routes[endpoint] : undefined;
      if (!route || request.method !== 'POST') throw new SiteError('not_found');
      const stored = await options.read();
      const call = await authenticateCall(request, stored, { endpoint, access: route.access });
      return Response.json(await route.run(call));
    } catch (error) {
      if (!(error instanceof SiteError)) site.onError(error);
      const refusal =
        error instanceof SiteError
          ? error
          : new SiteError('internal_error', 'Something went wrong on the site. Check its log.');
      return Response.json(refusal.body(), { status: refusal.status });
    }
  };
}

/** Example: `/any/path/cms-json/service/v1/remote/sync` → `remote/sync`. */
function parseEndpoint(pathname: string): string | undefined {
  return pathname.split(`/${SITE_API_PREFIX}/`)[1];
}

function assertKey(sent: string | null, stored: string | null): void {
  // Compare even if no key is stored: the response time must not reveal whether the site has a key.
  const isSame = equalInConstantTime(sent ?? '', stored ?? '');
  if (!isSame || !sent || !stored) throw new SiteError('invalid_service_key');
}

function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SiteError('invalid_request', 'The body is not valid JSON.');
  }
}
