import { createHash, timingSafeEqual } from 'node:crypto';
import {
  ProofRequest,
  SERVICE_KEY_HEADER,
  SIGNATURE_HEADER,
  SITE_API_PREFIX,
} from '@steward/contract';
import Value from 'typebox/value';
import { bulkUpdate, refreshAndReport } from './bulk-update.ts';
import { logCall } from './call-log.ts';
import { createSignatureCheck, proofFor, type ReceivedCall } from './call-signature.ts';
import { isManagementPlugin, type Platform } from './platform.ts';
import { pluginAction, readPluginAction } from './plugin-action.ts';
import { SiteError } from './site-error.ts';
import { isRemoteEnabled, type OptionsStore, type SiteOptions } from './site-options.ts';
import type { WriterLock } from './writer-lock.ts';

export type SiteHandler = (request: Request) => Promise<Response>;

export type SiteHandlerOptions = {
  siteUrl: string;
  platform: Platform;
  options: OptionsStore;
  lock: WriterLock;
  /** Tells the panel what is installed now. */
  resync(): Promise<void>;
  /** Lets others than the panel call the site with its key alone. */
  acceptsUnsignedCalls?: boolean;
  /** Asks the panel how the license stands. */
  checkIn?(): Promise<unknown>;
  now?(): Date;
  /** For the log: what nobody expected, or what an answer does not tell. */
  onFault(error: unknown): void;
};

const BODY_LIMIT_BYTES = 64 * 1024;

type Route = {
  /** `panel`: calls that carry no key are let in by their signature alone. */
  access: 'key' | 'panel';
  run(call: ReceivedCall): Promise<object>;
};

/** The endpoints that the panel calls on a site. */
export function createSiteHandler(site: SiteHandlerOptions): SiteHandler {
  const { siteUrl, platform, options, lock, now = () => new Date() } = site;
  const checkSignature = createSignatureCheck({ siteUrl, options, now });

  /** Does the work alone. The call is in the log before it changes anything, also if the site dies of it. */
  const obey = <T>(call: ReceivedCall, work: () => Promise<T>): Promise<T> =>
    lock.hold(async () => {
      await logCall(options, call, now());
      return work();
    });

  const routes: Record<string, Route> = {
    'remote/update': {
      access: 'key',
      run: (call) =>
        obey(call, async () => {
          if (!(await platform.allowsFileChanges())) throw new SiteError('file_changes_disabled');
          return bulkUpdate(platform, site.resync);
        }),
    },

    'remote/plugin-action': {
      access: 'key',
      async run(call) {
        const asked = readPluginAction(parseJson(call.body));
        if (isManagementPlugin(platform, asked.plugin)) throw new SiteError('management_plugin');
        // Whether it is there is asked inside: in the middle of an update it is away for a moment.
        await obey(call, async () => {
          try {
            await pluginAction(platform, asked);
          } finally {
            // The panel should know what is there also when the action failed; but that it could
            // not be told does not undo what was done.
            await site.resync().catch(site.onFault);
          }
        });
        return { success: true, ...asked };
      },
    },

    'remote/sync': {
      access: 'key',
      run: () =>
        lock.hold(async () => {
          const failures = await refreshAndReport(platform, site.resync);
          if (failures.length > 0) throw new SiteError('action_failed', failures.join(' '));
          return { success: true };
        }),
    },

    'remote/proof': {
      access: 'panel',
      async run({ body }) {
        const asked = parseJson(body);
        if (!Value.Check(ProofRequest, asked)) throw new SiteError('invalid_request');
        const { service_license_key } = await options.read();
        const proof = proofFor(asked.challenge, siteUrl, service_license_key ?? '');
        return { success: true, proof };
      },
    },

    'remote/check': {
      access: 'panel',
      async run() {
        // The panel does not wait for an answer to a question that goes back to it.
        site.checkIn?.().catch(site.onFault);
        return { success: true };
      },
    },
  };

  /** The key first, then the signature, then whether the site may be managed at all. */
  async function assertPanel(
    request: Request,
    stored: SiteOptions,
    { endpoint, access }: { endpoint: string; access: Route['access'] },
  ): Promise<ReceivedCall> {
    const { headers } = request;
    if (access === 'key') assertKey(headers.get(SERVICE_KEY_HEADER), stored.service_license_key);
    const body = await request.text();
    if (Buffer.byteLength(body) > BODY_LIMIT_BYTES) throw new SiteError('request_too_large');
    const { signing_key: publicKey } = stored;
    // A site that was set up by hand knows no key of its panel, and asks for no signature.
    const mayBeUnsigned = site.acceptsUnsignedCalls && !headers.has(SIGNATURE_HEADER);
    const needsSignature = access === 'panel' || (publicKey !== null && !mayBeUnsigned);
    const call = { route: `/service/v1/${endpoint}`, headers, body };
    if (needsSignature && !(await checkSignature(call, publicKey))) {
      throw new SiteError('invalid_signature');
    }
    if (access === 'key' && !isRemoteEnabled(stored, now())) throw new SiteError('remote_disabled');
    return call;
  }

  return async (request) => {
    try {
      const endpoint = endpointOf(new URL(request.url).pathname) ?? '';
      const route = Object.hasOwn(routes, endpoint) ? routes[endpoint] : undefined;
      if (!route || request.method !== 'POST') throw new SiteError('not_found');
      const stored = await options.read();
      const call = await assertPanel(request, stored, { endpoint, access: route.access });
      return Response.json(await route.run(call));
    } catch (error) {
      if (!(error instanceof SiteError)) site.onFault(error);
      const refusal =
        error instanceof SiteError
          ? error
          : new SiteError('internal_error', 'Something went wrong on the site. Look into its log.');
      return Response.json(refusal.body(), { status: refusal.status });
    }
  };
}

/** `/any/path/cms-json/service/v1/remote/sync` → `remote/sync` */
function endpointOf(pathname: string): string | undefined {
  return pathname.split(`/${SITE_API_PREFIX}/`)[1];
}

function assertKey(sent: string | null, stored: string | null): void {
  // Compared also when nothing is stored, so that the time taken tells nobody whether there is.
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
