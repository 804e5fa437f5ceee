import {
  CORE_SLUG,
  HELD_ITEMS_SHOWN_MAX,
  type HeldItem,
  type HeldItems,
  type RunKind,
  type SoftwareType,
  UPDATE_ITEMS_MAX,
} from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import { createHoldFinder, type HoldFinder } from '../rules/index.ts';
import { listSitesWithItemUpdates } from './hold-back.repository.ts';
import { refusedResult } from './outcome/task-outcome.ts';
import type { RunItem, RunRequest } from './tables.ts';
import { createItemChooser, type ItemChooser, type TaskItems } from './task-items.ts';

type Request = { kind: RunKind; request: RunRequest };
type Task = Request & { siteId: number; items: RunItem[] | null; supportsItems: boolean };
type SoftwareItem = RunItem & { type: SoftwareType };

/** `finder` is null if no version can be held. */
export type ItemPlanner = { chooseItems: ItemChooser; finder: HoldFinder | null };

/**
 * Chooses the items for each site, without the items that a rule or a quarantine holds back there. A new run and the plan of
 * an update both decide by this function, so that the plan counts the sites that the run calls. `onlyPendingOf`: sites with a
 * pending update that can install single items. Their other items decide nothing, so they are not read.
 */
export async function createItemPlanner(
  db: Database,
  { kind, request }: Request,
  siteIds: number[],
  now: Date,
  { onlyPendingOf = new Set<number>() }: { onlyPendingOf?: ReadonlySet<number> } = {},
): Promise<ItemPlanner> {
  const chooseItems = await createItemChooser(db, { kind, request }, siteIds);
  if (!canBeHeld({ kind, request })) return { chooseItems, finder: null };
  const requested = request.items ?? [];
  const finder = await createHoldFinder(db, siteIds, { now, requested, onlyPendingOf });
  if (!finder) return { chooseItems, finder };
  const withItemUpdates = await listSitesWithItemUpdates(db, siteIds);
  const chooseAllowedItems: ItemChooser = (siteId) => {
    const chosen = chooseItems(siteId);
    if (chosen.refusal) return chosen;
    const supportsItems = withItemUpdates.has(siteId);
    return holdBack({ kind, request, siteId, items: chosen.items, supportsItems }, finder);
  };
  return { chooseItems: chooseAllowedItems, finder };
}

/**
 * Whether a rule or a quarantine can hold a task of this kind. They never hold the Steward plugin, so `self_update` is
 * not included.
 */
export function canBeHeld({ kind, request }: Request): boolean {
  if (kind === 'plugin_action') return request.action === 'update';
  return kind === 'update' || kind === 'install' || kind === 'restore';
}

/** Removes the held items from a task. Refuses the task if no item is left, or if the site would install held ones too. */
export function holdBack(task: Task, finder: HoldFinder): TaskItems {
  if (task.kind === 'plugin_action') return holdBackPluginUpdate(task, finder);
  return task.items === null ? holdBackAllUpdates(task, finder) : holdBackItems(task, finder);
}

/**
 * For an update of all items. If a version can be held on the site, the call names items with versions, because since
 * its last report the site may offer a newer version or have another item. A site that cannot update single items is
 * refused if a rule or a quarantine concerns an item of its last report; otherwise it installs all updates.
 */
function holdBackAllUpdates({ siteId, supportsItems }: Task, finder: HoldFinder): TaskItems {
  const concernsReportedItem = finder.concernsReportedItem(siteId);
  if (!concernsReportedItem && !(supportsItems && finder.concernsAnyItem(siteId))) return ALL_ITEMS;
  const core = finder.findInstalled(siteId, { type: 'core', slug: CORE_SLUG });
  const pending = finder.listPending(siteId);
  const heldItems = pending.flatMap(({ type, slug, name, version, hold }) =>
    hold ? toHeld({ type, slug, name, version }, hold, finder) : [],
  );
  const allowed = pending.filter(({ hold }) => hold === null);
  const isNothingLeft = pending.length > 0 && allowed.length === 0;
  if (heldItems.length > 0 && (isNothingLeft || !supportsItems)) return refuse(heldItems);
  if (!supportsItems && core) {
    const refusal = refusedResult('held_version', finder.explainOutdatedSite(siteId));
    return { items: null, refusal };
  }
  const items = allowed.map(({ type, slug, version }): RunItem => ({ type, slug, version }));
  if (items.length === 0) return nameInstalledCore(core);
  return { items: items.slice(0, UPDATE_ITEMS_MAX), refusal: null, held: summarize(heldItems) };
}

const ALL_ITEMS: TaskItems = { items: null, refusal: null };

/**
 * For a site with nothing pending. The call names core in its installed version: this changes nothing, but the site
 * checks for updates and reports. A site that never reported could install any version, so the task is refused.
 */
function nameInstalledCore(core: ReturnType<HoldFinder['findInstalled']>): TaskItems {
  if (!core) return { items: null, refusal: refusedResult('held_version', NEVER_REPORTED) };
  const { type, slug, version } = core;
  return { items: [{ type, slug, version }], refusal: null };
}

const NEVER_REPORTED = 'The site has not reported which versions it offers. Sync the site.';

function holdBackItems({ kind, siteId, items }: Task, finder: HoldFinder): TaskItems {
  const heldItems: HeldItem[] = [];
  const kept = (items ?? []).flatMap((item): RunItem[] => {
    if (!isSoftware(item)) return [item];
    const installed = finder.findInstalled(siteId, item);
    // Without a version, the site would install what it offers at the time of the call. If no update is pending, the
    // call names the installed version, which changes nothing.
    const version = item.version ?? installed?.newVersion ?? installed?.version;
    if (version === undefined) return [item];
    const oldVersion = kind === 'install' ? null : (installed?.version ?? null);
    const hold = finder.find(siteId, { type: item.type, slug: item.slug, version, oldVersion });
    if (hold) {
      const name = installed?.name ?? item.name ?? item.slug;
      heldItems.push(...toHeld({ type: item.type, slug: item.slug, name, version }, hold, finder));
      return [];
    }
    return [finder.isItemConcerned(siteId, item) ? { ...item, version } : item];
  });
  return kept.length === 0
    ? refuse(heldItems)
    : { items: kept, refusal: null, held: summarize(heldItems) };
}

/**
 * The call of a plugin action has no version, and the site may offer a newer one since its last report. If a rule or a
 * quarantine concerns the plugin, the task therefore names the allowed version, and the worker sends it as an update of
 * one item. A site that cannot update single items gets the plugin action, if the version that it reported is allowed.
 */
function holdBackPluginUpdate(task: Task, finder: HoldFinder): TaskItems {
  const { siteId, request, items, supportsItems } = task;
  const item = { type: 'plugin', slug: request.plugin ?? '' } as const;
  if (!finder.isItemConcerned(siteId, item)) return { items, refusal: null };
  const installed = finder.findInstalled(siteId, item);
  // The version that the rules allowed when the run was created.
  const version = items?.[0]?.version ?? installed?.newVersion;
  if (!installed || !version)
    return { items: null, refusal: refusedResult('held_version', OFFER_NOT_REPORTED) };
  const { name, version: oldVersion } = installed;
  const hold = finder.find(siteId, { ...item, version, oldVersion });
  if (hold) return refuse(toHeld({ ...item, name, version }, hold, finder));
  return { items: supportsItems ? [{ ...item, version }] : null, refusal: null };
}

const OFFER_NOT_REPORTED =
  'A rule or a quarantine concerns this plugin, and the last report of the site contains no update for it. Sync the site to check for updates.';

function toHeld(
  { type, slug, name, version }: Omit<HeldItem, 'hold'>,
  hold: Parameters<HoldFinder['explain']>[0],
  finder: HoldFinder,
): HeldItem[] {
  return [{ type, slug, name, version, hold: finder.explain(hold) }];
}

function summarize(heldItems: HeldItem[]): HeldItems | null {
  if (heldItems.length === 0) return null;
  return { count: heldItems.length, items: heldItems.slice(0, HELD_ITEMS_SHOWN_MAX) };
}

const NAMED_ITEMS_MAX = 3;

function refuse(heldItems: HeldItem[]): TaskItems {
  const named = heldItems
    .slice(0, NAMED_ITEMS_MAX)
    .map(
      ({ name, version, hold }) => `${name} ${version}: ${hold.explanation.replace(/^Held: /, '')}`,
    );
  const others = heldItems.length - named.length;
  const details = [...named, ...(others > 0 ? [`And ${others} more.`] : [])].join(' ');
  const refusal = refusedResult('held_version', details);
  return { items: null, refusal, held: summarize(heldItems) };
}

const isSoftware = (item: RunItem): item is SoftwareItem => item.type !== 'translation';
