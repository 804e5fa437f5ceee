import { createHash, timingSafeEqual } from 'node:crypto';
import { SERVICE_KEY_HEADER, SITE_API_PREFIX } from '@steward/contract';
import { bulkUpdate, refreshAndReport } from './bulk-update.ts';
import { isManagementPlugin, type Platform } from './platform.ts';
import { pluginAction, readPluginAction } from './plugin-action.ts';
import { SiteError } from './site-error.ts';
import { type OptionsStore, REMOTE_SERVICE } from './site-options.ts';
import type { WriterLock } from './writer-lock.ts';

export type SiteHandler = (request: Request) => Promise<Response>;

export type SiteHandlerOptions = {
  platform: Platform;
  options: OptionsStore;
  lock: WriterLock;
  /** Tells the panel what is installed now. */
  resync(): Promise<void>;
  /** For the log: what nobody expected, or what an answer does not tell. */
  onFault(error: unknown): void;
};

const BODY_LIMIT_BYTES = 64 * 1024;

type Route = (request: Request) => Promise<object>;

/** The endpoints that the panel calls on a site. */
export function createSiteHandler(site: SiteHandlerOptions): SiteHandler {
  const { platform, lock } = site;

  const routes: Record<string, Route> = {
    'remote/update': () =>
      lock.hold(async () => {
        if (!(await platform.allowsFileChanges())) throw new SiteError('file_changes_disabled');
        return bulkUpdate(platform, site.resync);
      }),

    async 'remote/plugin-action'(request) {
      const asked = readPluginAction(await readJson(request));
      if (isManagementPlugin(platform, asked.plugin)) throw new SiteError('management_plugin');
      // Whether it is there is asked inside: in the middle of an update it is away for a moment.
      await lock.hold(async () => {
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

    'remote/sync': () =>
      lock.hold(async () => {
        const failures = await refreshAndReport(platform, site.resync);
        if (failures.length > 0) throw new SiteError('action_failed', failures.join(' '));
        return { success: true };
      }),
  };

  return async (request) => {
    try {
      const endpoint = endpointOf(new URL(request.url).pathname) ?? '';
      const route = Object.hasOwn(routes, endpoint) ? routes[endpoint] : undefined;
      if (!route || request.method !== 'POST') throw new SiteError('not_found');
      await assertPanel(site.options, request.headers.get(SERVICE_KEY_HEADER));
      return Response.json(await route(request));
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

/** The key first, then whether the site may be managed at all. */
async function assertPanel(options: OptionsStore, sentKey: string | null): Promise<void> {
  const { service_license_key, service_enabled_services } = await options.read();
  // Compared also when nothing is stored, so that the time taken tells nobody whether there is.
  const isSame = equalInConstantTime(sentKey ?? '', service_license_key ?? '');
  if (!isSame || !sentKey || !service_license_key) throw new SiteError('invalid_service_key');
  if (!service_enabled_services.includes(REMOTE_SERVICE)) throw new SiteError('remote_disabled');
}

function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

async function readJson(request: Request): Promise<unknown> {
  const text = await request.text();
  if (Buffer.byteLength(text) > BODY_LIMIT_BYTES) throw new SiteError('request_too_large');
  try {
    return JSON.parse(text);
  } catch {
    throw new SiteError('invalid_request', 'The body is not valid JSON.');
  }
}
