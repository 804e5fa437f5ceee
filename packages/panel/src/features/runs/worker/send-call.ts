import type { PluginActionRequest, RestoreItem, RunKind } from '@steward/contract';
import type {
  SiteClient,
  SiteOutcome,
  SiteResponse,
  SiteTarget,
} from '../../../site-client/index.ts';
import type { PackageService } from '../../packages/index.ts';
import { callWithHealthCheck, needsHealthCheck } from './health-check.ts';
import type { OpenTask } from './tasks.repository.ts';

export type SendDependencies = {
  siteClient: SiteClient;
  packages: Pick<PackageService, 'createInstallItems'>;
  delays: { recheck: number; verdict: number };
  signal: AbortSignal;
};

type Outcome = SiteOutcome<SiteResponse>;
type Call = {
  task: Pick<OpenTask, 'kind' | 'request' | 'items' | 'site_id'>;
  target: SiteTarget;
  options: { signal: AbortSignal; checksHealth: boolean };
};
type Send = (call: Call, deps: SendDependencies) => Promise<Outcome | null>;

/** How each kind of run calls a site. The result is null if a package is no longer stored; then nothing was sent. */
const REQUESTS: Record<RunKind, Send> = {
  sync: async ({ target, options: { signal } }, { siteClient }) =>
    siteClient.sync(target, { signal }),

  update: async ({ task, target, options }, { siteClient }) =>
    siteClient.bulkUpdate(target, { ...options, items: task.items }),

  plugin_action: async ({ task, target, options }, { siteClient }) =>
    siteClient.pluginAction(target, task.request as PluginActionRequest, options),

  restore: async ({ task, target, options }, { siteClient }) =>
    siteClient.restore(target, (task.items ?? []).map(toRestoreItem), options),

  self_update: async ({ target, options }, { siteClient }) =>
    siteClient.selfUpdate(target, options),

  // Each request has new links: a site may have used those of the previous request.
  async install({ task, target, options }, { siteClient, packages }) {
    const items = await packages.createInstallItems(task.site_id, task.items ?? []);
    return items && siteClient.install(target, items, options);
  },
};

/** Calls the site once. For a site that cannot open its own pages, the panel does the health check. */
export async function sendCall(
  task: Call['task'],
  target: SiteTarget,
  deps: SendDependencies,
): Promise<Outcome | null> {
  const request = (checksHealth: boolean) =>
    REQUESTS[task.kind]({ task, target, options: { signal: deps.signal, checksHealth } }, deps);
  const outcome = await request(false);
  if (!outcome || !needsHealthCheck(outcome)) return outcome;
  return callWithHealthCheck(target, { kind: task.kind, send: () => request(true) }, deps);
}

const toRestoreItem = ({ type, slug, version }: NonNullable<OpenTask['items']>[number]) =>
  ({ type, slug, version }) as RestoreItem;
