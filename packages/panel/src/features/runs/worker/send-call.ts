import type { PluginActionRequest, RestoreItem, RunKind } from '@steward/contract';
import type {
  SiteClient,
  SiteOutcome,
  SiteResponse,
  SiteTarget,
} from '../../../site-client/index.ts';
import type { PackageService } from '../../packages/index.ts';
import { markOtherVersions } from '../outcome/other-versions.ts';
import { callWithOutsideCheck, findOutsideCheck } from './outside-check.ts';
import type { OpenTask } from './tasks.repository.ts';

export type SendDependencies = {
  siteClient: SiteClient;
  packages: Pick<PackageService, 'createInstallItems'>;
  delays: { recheck: number; verdict: number };
  signal: AbortSignal;
};

type Outcome = SiteOutcome<SiteResponse>;
type Call = {
  task: Pick<OpenTask, 'kind' | 'request' | 'items' | 'site_id' | 'capabilities' | 'checked_pages'>;
  target: SiteTarget;
  options: { signal: AbortSignal; panelChecksHealth: boolean; checkPages: string[] };
};
type Send = (call: Call, deps: SendDependencies) => Promise<Outcome | null>;

/** How each kind of run calls a site. The result is null if a package is no longer stored; then nothing was sent. */
const REQUESTS: Record<RunKind, Send> = {
  sync: async ({ target, options: { signal } }, { siteClient }) =>
    siteClient.sync(target, { signal }),

  update: async ({ task, target, options }, { siteClient }) =>
    siteClient.bulkUpdate(target, { ...options, items: task.items }),

  // The task has an item only if a rule or a quarantine concerns the plugin. Only an update of items names the version.
  plugin_action: async ({ task, target, options }, { siteClient }) =>
    task.items
      ? siteClient.bulkUpdate(target, { ...options, items: task.items })
      : siteClient.pluginAction(target, task.request as PluginActionRequest, options),

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

/**
 * Calls the site. If the site refuses because it cannot open its own pages, calls it again, and the panel does the health
 * check.
 */
export async function sendCall(
  task: Call['task'],
  target: SiteTarget,
  deps: SendDependencies,
): Promise<Outcome | null> {
  const checkPages = listCheckedPages(task);
  const request = (panelChecksHealth: boolean) =>
    REQUESTS[task.kind](
      { task, target, options: { signal: deps.signal, panelChecksHealth, checkPages } },
      deps,
    );
  const first = await request(false);
  const outsideCheck = first && findOutsideCheck(first);
  const outcome = outsideCheck
    ? await callWithOutsideCheck(
        target,
        { kind: task.kind, request: outsideCheck, send: () => request(true) },
        deps,
      )
    : first;
  return outcome && task.kind === 'plugin_action' ? toActionOutcome(outcome, task) : outcome;
}

/** The pages that the site checks too. An older site does not know the field. */
function listCheckedPages({ capabilities, checked_pages }: Call['task']): string[] {
  return capabilities?.includes('page_checks') ? (checked_pages ?? []) : [];
}

/** Converts the outcome of a plugin action that was sent as an update of one item. */
function toActionOutcome(outcome: Outcome, { request, items }: Call['task']): Outcome {
  if (outcome.kind !== 'answered' || !('results' in outcome.body)) return outcome;
  const { httpStatus, body, pageCheck } = outcome;
  const { action, plugin } = request as PluginActionRequest;
  const item = body.results.plugins.find(({ slug }) => slug === plugin);
  if (!item?.success) {
    const error = item?.error ?? body.errors[0]?.error ?? 'The site did not update the plugin.';
    return { kind: 'refused', httpStatus, code: 'action_failed', error };
  }
  const [otherVersion] = markOtherVersions(body, items).notes;
  const warnings = body.errors.map(({ error }) => error);
  return {
    kind: 'answered',
    httpStatus,
    ...(pageCheck && { pageCheck }),
    body: {
      ...{ success: true, action, plugin },
      ...(item.verified === false && { verified: false }),
      ...(body.checked && { checked: body.checked }),
      ...(otherVersion !== undefined && { other_version: otherVersion }),
      ...(item.new_plugin !== undefined && { new_plugin: item.new_plugin }),
      ...(warnings.length > 0 && { warnings }),
    },
  };
}

const toRestoreItem = ({ type, slug, version }: NonNullable<OpenTask['items']>[number]) =>
  ({ type, slug, version }) as RestoreItem;
