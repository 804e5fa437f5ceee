import type {
  DirectoryItem,
  PluginAction,
  SoftwareItemQuery,
  UpdatePreview,
} from '@steward/contract';
import type { PanelApi, Run } from '../panel-api/panel-api.ts';
import {
  countSites,
  listVersions,
  printSiteNames,
  printSkipped,
  SKIP_TEXTS,
  type SkippedSites,
} from './print-preview.ts';
import type { RunPlan } from './start-run.ts';

type RunPreview = Awaited<ReturnType<PanelApi['previewInstall']>>;

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Plans to activate, deactivate or delete a plugin. `withPlugin`: the sites that have it. */
export async function planPluginAction(
  api: PanelApi,
  action: Exclude<PluginAction, 'update'>,
  plugin: string,
  { siteIds, withPlugin }: { siteIds: number[]; withPlugin: number[] },
): Promise<RunPlan> {
  const idsWithPlugin = new Set(withPlugin);
  const candidates = siteIds.filter((id) => idsWithPlugin.has(id));
  // The preview of an update also lists the sites that the panel may not call.
  const updatePreview = candidates.length > 0 ? await api.previewUpdate(candidates) : null;
  const skipped = updatePreview?.skipped ?? NONE_SKIPPED;
  const included = updatePreview ? candidates.filter(createCallableFilter(updatePreview)) : [];
  const missing = siteIds.length - candidates.length;
  const warning = action === 'delete' ? ' Its files are deleted.' : '';
  return {
    siteIds: included,
    question: `${capitalize(action)} ${plugin} on ${countSites(included.length)}?${warning}`,
    preview: { action, plugin, site_ids: included, skipped, not_installed: missing },
    print(context) {
      context.printLine(`${capitalize(action)} ${plugin} on ${countSites(included.length)}.`);
      if (missing > 0) context.printLine(`Not installed on ${countSites(missing)}.`);
      printSkipped(context, {
        count: skipped.count,
        sites: skipped.sites.map(({ name, status }) => ({ name, reason: SKIP_TEXTS[status] })),
      });
    },
    start: (panel) => panel.runPluginAction(included, action, plugin),
  };
}

const NONE_SKIPPED = { count: 0, sites: [] };

/**
 * The preview lists all sites except skipped and held ones, of which it names only the first. If it does not name all
 * held sites, the filter includes every site that is not named as skipped. The run refuses sites that the panel may not
 * call.
 */
function createCallableFilter({ to_update, nothing_pending, held, skipped }: UpdatePreview) {
  const heldIds = held.sites.map(({ id }) => id);
  const callable = new Set([...to_update.site_ids, ...nothing_pending.site_ids, ...heldIds]);
  const notCallable = new Set(skipped.sites.map(({ id }) => id));
  const namesAllHeld = held.sites.length === held.count;
  return (id: number) => callable.has(id) || (!namesAllHeld && !notCallable.has(id));
}

export async function planInstall(
  api: PanelApi,
  siteIds: number[],
  item: DirectoryItem,
): Promise<RunPlan> {
  if (siteIds.length === 0) throw new Error('No sites match. Nothing was started.');
  const preview = await api.previewInstall({ site_ids: siteIds, items: [item] });
  const what = `Install ${item.slug} ${item.version}`;
  return toPlan(what, preview, (panel) =>
    panel.install({ site_ids: preview.site_ids, items: [item] }),
  );
}

/** Restores the only saved version, or the version that the user named. */
export async function planRestore(
  api: PanelApi,
  siteIds: number[],
  {
    type,
    slug,
    version,
  }: { type: DirectoryItem['type']; slug: string; version?: string | undefined },
): Promise<RunPlan> {
  if (siteIds.length === 0) throw new Error('No sites match. Nothing was started.');
  const preview = await api.previewRestore(siteIds, { type, slug });
  const { versions } = preview;
  if (versions.length === 0) return toPlan(`Restore ${slug}`, preview, rejectEmpty);
  const saved = version ? versions.find((each) => each.version === version) : versions[0];
  if (!saved || (!version && versions.length > 1)) {
    const known = versions.map((each) => `${each.version} (${countSites(each.site_ids.length)})`);
    throw new Error(`Choose a saved version with --to: ${known.join(', ')}.`);
  }
  const from = listVersions(saved.current_versions.filter((each) => each !== ''));
  const what = `Restore ${slug}${from && ` ${from}`} to ${saved.version}`;
  const idsWithVersion = new Set(saved.site_ids);
  const limited = {
    ...preview,
    site_ids: saved.site_ids,
    sites: preview.sites.filter(({ id }) => idsWithVersion.has(id)),
  };
  return toPlan(what, limited, (panel) =>
    panel.restore({
      site_ids: saved.site_ids,
      items: [{ type, slug, version: saved.version }],
    }),
  );
}

const rejectEmpty = () => Promise.reject(new Error('No site has a saved version.'));

function toPlan(
  what: string,
  preview: RunPreview,
  start: (api: PanelApi) => Promise<Run>,
): RunPlan {
  const { site_ids, sites, skipped, not_found } = preview;
  const skippedSites: SkippedSites = {
    count: skipped.count,
    sites: skipped.sites.map(({ name, reason }) => ({ name, reason: SKIP_TEXTS[reason] })),
  };
  return {
    siteIds: site_ids,
    question: `${what} on ${countSites(site_ids.length)}?`,
    preview,
    print(context) {
      context.printLine(`${what} on ${countSites(site_ids.length)}.`);
      const names = sites.map(({ name }) => name);
      printSiteNames(context, names, site_ids.length);
      printSkipped(context, skippedSites, not_found);
    },
    start,
  };
}

/** Finds a plugin or theme by its slug, or a plugin by its folder: `akismet` for `akismet/akismet.php`. */
export async function findSlug(
  api: Pick<PanelApi, 'listSoftware'>,
  { type, slug }: SoftwareItemQuery,
): Promise<string> {
  const { software } = await api.listSoftware({ type, search: slug, limit: '200' });
  const exact = software.find((item) => item.slug === slug);
  if (exact) return exact.slug;
  const inFolder = software.filter((item) => item.slug.startsWith(`${slug}/`));
  const [only] = inFolder;
  if (only && inFolder.length === 1) return only.slug;
  if (inFolder.length > 1) {
    throw new Error(`Use one of: ${inFolder.map((item) => item.slug).join(', ')}.`);
  }
  throw new Error(`No site has the ${type} ${slug}. Find its slug with: npx steward ${type} list`);
}
