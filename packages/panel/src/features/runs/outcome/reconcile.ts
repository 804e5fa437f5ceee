import {
  CORE_SLUG,
  type Inventory,
  type ItemUpdateResult,
  isNewerVersion,
  isSameVersion,
  type PendingUpdates,
  type PluginActionRequest,
  pendingUpdates,
  type UpdateItem,
} from '@steward/contract';
import { describeOtherVersion } from './other-versions.ts';
import { resultFromBody, type TaskResult } from './task-outcome.ts';

/** The error that lost the response to a call. */
export type LostCall = Pick<TaskResult, 'http_status' | 'code' | 'error'>;

/** The installed version and the offered update. Core has no name. */
type Versions = { version: string; new_version?: string | undefined; name?: string };

/**
 * Installed means: the offered version, a later one, or any upgrade after which no update is pending.
 * A missing offer alone does not prove an installation.
 */
function isInstalled(before: Versions, after: Versions | undefined): boolean {
  const offered = before.new_version;
  if (after === undefined || offered === undefined) return false;
  if (isSameVersion(after.version, offered)) return true;
  if (!isNewerVersion(after.version, before.version)) return false;
  return after.new_version === undefined || isNewerVersion(after.version, offered);
}

/**
 * Derives the result of a lost update call from the next report. An update that was pending before the call and is now
 * installed succeeded. An update that is pending only in the next report counts as failed: the site may have known it
 * before the call, and the call should have installed it. `items`: the items of the call; null if the call was for every
 * pending update.
 */
export function reconcileUpdate(
  lost: LostCall,
  before: Inventory | null,
  after: Inventory,
  items: UpdateItem[] | null = null,
): TaskResult {
  if (!before) return unknownResultAfterContact(lost, NOTHING_TO_COMPARE);
  const pendingBefore = selectItems(pendingUpdates(before), items);
  const pendingAfter = selectItems(pendingUpdates(after), items);
  const plugins = compareItems(
    pendingBefore.plugins,
    pendingAfter.plugins,
    after.plugins,
    ({ plugin }) => plugin,
  );
  const themes = compareItems(
    pendingBefore.themes,
    pendingAfter.themes,
    after.themes,
    ({ slug }) => slug,
  );
  const cores = compareItems(pendingBefore.core, pendingAfter.core, [after.core], () => '');
  const [core = null] = cores.map(({ old_version, new_version, success }) => ({
    ...(old_version !== undefined && { old_version }),
    new_version,
    success,
  }));
  const errors = [
    ...plugins.map((item) => ({ ...item, type: 'plugin' as const })),
    ...themes.map((item) => ({ ...item, type: 'theme' as const })),
    ...cores.map((item) => ({ ...item, type: 'core' as const, slug: null })),
  ]
    .filter(({ success }) => !success)
    .map(({ type, slug, error = NOT_INSTALLED }) => ({ type, slug, error }));
  const details = { success: errors.length === 0, results: { plugins, themes, core }, errors };
  const result = resultFromBody(null, details, items);
  if (result.status === 'succeeded') return markTranslationsUnverified(result, items);
  // Another version than requested was installed.
  if (result.status === 'unverified' && errors.length === 0) return result;
  const finding = result.status === 'failed' ? NONE_UPDATED : SOME_UPDATED;
  return { ...result, ...describeError(lost, finding) };
}

/** Reports do not contain translations, so the panel cannot verify them. */
function markTranslationsUnverified(result: TaskResult, items: UpdateItem[] | null): TaskResult {
  if (!items?.some(({ type }) => type === 'translation')) return result;
  return { ...result, status: 'unverified', notes: [TRANSLATIONS_NOT_CHECKED] };
}

function selectItems(pending: PendingUpdates, items: UpdateItem[] | null): PendingUpdates {
  if (!items) return pending;
  const has = (type: UpdateItem['type'], slug: string) =>
    items.some((item) => item.type === type && item.slug === slug);
  return {
    plugins: pending.plugins.filter(({ plugin }) => has('plugin', plugin)),
    themes: pending.themes.filter(({ slug }) => has('theme', slug)),
    core: pending.core.filter(() => has('core', CORE_SLUG)),
  };
}

/** Compares the items that were pending before the call, and those that are pending only after it. */
function compareItems<Item extends Versions>(
  pendingBefore: Item[],
  pendingAfter: Item[],
  installedAfter: Item[],
  slugOf: (item: Item) => string,
): ItemUpdateResult[] {
  const slugsBefore = new Set(pendingBefore.map(slugOf));
  const itemsAfter = new Map(installedAfter.map((item) => [slugOf(item), item]));
  const newlyPending = pendingAfter.filter((item) => !slugsBefore.has(slugOf(item)));
  return [...pendingBefore, ...newlyPending].map((item) => {
    const itemAfter = itemsAfter.get(slugOf(item));
    const { name, version: old_version } = item;
    const new_version = itemAfter?.version ?? '';
    const result = {
      slug: slugOf(item),
      ...(name !== undefined && { name }),
      old_version,
      new_version,
    };
    if (isInstalled(item, itemAfter)) return { ...result, success: true };
    return { ...result, success: false, error: itemAfter ? NOT_INSTALLED : ITEM_GONE };
  });
}

/** Derives the result of a lost action on one plugin from the next report. `version`: the version that the call named. */
export function reconcileAction(
  lost: LostCall,
  { action, plugin }: PluginActionRequest,
  before: Inventory | null,
  after: Inventory,
  version?: string,
): TaskResult {
  const pluginBefore = before?.plugins.find((item) => item.plugin === plugin);
  const pluginAfter = after.plugins.find((item) => item.plugin === plugin);
  const isDone = {
    activate: pluginAfter?.active === true,
    deactivate: pluginAfter !== undefined && !pluginAfter.active,
    delete: pluginAfter === undefined,
    // If no update was known before the call, success means that none is pending after it.
    update: pluginBefore?.new_version
      ? isInstalled(pluginBefore, pluginAfter)
      : pluginAfter !== undefined && pluginAfter.new_version === undefined,
  }[action];
  if (
    isDone &&
    pluginAfter &&
    version !== undefined &&
    !isSameVersion(pluginAfter.version, version)
  ) {
    const other_version = describeOtherVersion(pluginAfter.name, pluginAfter.version, version);
    return resultFromBody(null, { success: true, action, plugin, other_version });
  }
  if (isDone) return resultFromBody(null, { success: true });
  const finding = `${CHECKED} ${describePlugin(action, pluginAfter)}. Try again.`;
  return { ...unknownResultAfterContact(lost, finding), status: 'failed' };
}

const TRANSLATIONS_NOT_CHECKED =
  'Steward could not check whether the translations were updated. Check them on the site.';
const NOT_INSTALLED = 'The update is not installed.';
const ITEM_GONE = 'This item is not installed on the site any more.';
export const CHECKED = 'Steward checked the site:';
const NONE_UPDATED = `${CHECKED} no updates were installed. Try again.`;
const SOME_UPDATED = `${CHECKED} some updates were installed. Retry the rest.`;
const MAY_HAVE_CHANGED = 'The site may have changed';
const NO_REPORT = `${MAY_HAVE_CHANGED}, and it has not reported since. Sync it to check.`;
const NO_REPORT_BUT_RESPONSE = `${MAY_HAVE_CHANGED}. It responds again but has not reported. Check that it can reach the panel, then sync it.`;
export const NOTHING_TO_COMPARE = `${MAY_HAVE_CHANGED}: its versions before the call are not known. Check its current versions.`;

function describePlugin(
  action: PluginActionRequest['action'],
  plugin: Inventory['plugins'][number] | undefined,
): string {
  if (plugin === undefined) return 'the plugin is not installed';
  if (action === 'update') return `the plugin is at version ${plugin.version}`;
  return `the plugin is ${plugin.active ? 'active' : 'inactive'}`;
}

/** Keeps the error that lost the response, and appends the finding. */
export function describeError({ http_status, code, error }: LostCall, finding: string) {
  return { http_status, code, error: error === null ? finding : `${asSentence(error)} ${finding}` };
}

/** Adds the final period, which a text from a site may lack. */
function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function unknownResult(lost: LostCall, finding: string): TaskResult {
  return { ...describeError(lost, finding), status: 'unknown', details: null, sent: true };
}

/** The result if the site sends no report to reconcile with. */
export function resultWithoutReport(
  lost: LostCall,
  { hasResponded }: { hasResponded: boolean },
): TaskResult {
  return hasResponded
    ? unknownResultAfterContact(lost, NO_REPORT_BUT_RESPONSE)
    : unknownResult(lost, NO_REPORT);
}

export function unknownResultAfterContact(lost: LostCall, finding: string): TaskResult {
  return { ...unknownResult(lost, finding), hasRespondedSince: true };
}

/** The result if the site is down, so that Steward cannot reconcile the lost call. */
export function resultForDownSite(lost: LostCall): TaskResult {
  return { ...unknownResult(lost, IS_DOWN), code: 'site_down' };
}

const IS_DOWN = `${MAY_HAVE_CHANGED}. It responded to Steward with an error. Check its pages and its error log, and sync it once it works.`;
