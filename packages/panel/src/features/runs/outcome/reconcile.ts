import {
  type Inventory,
  type ItemUpdateResult,
  isNewerVersion,
  type PluginActionRequest,
  pendingUpdates,
} from '@steward/contract';
import { resultFromBody, type TaskResult } from './task-outcome.ts';

/** How the response to a call was lost. */
export type LostCall = Pick<TaskResult, 'http_status' | 'code' | 'error'>;

/** The installed version, and the available update. */
type Versions = { version: string; new_version?: string | undefined };

/**
 * Whether a pending update is installed now. The offered version may be outdated, so a version newer
 * than the offer counts, and so does any newer version without a pending update. An update that is no
 * longer offered proves nothing on its own.
 */
function isInstalled(before: Versions, after: Versions | undefined): boolean {
  const wanted = before.new_version;
  if (after === undefined || wanted === undefined) return false;
  if (after.version === wanted) return true;
  if (!isNewerVersion(after.version, before.version)) return false;
  return after.new_version === undefined || isNewerVersion(after.version, wanted);
}

/**
 * Derives the result of a lost call from the next report. An update that was pending before and is
 * installed now succeeded. An update that is pending only now counts as failed: the site may have known
 * of it before the call.
 */
export function reconcileUpdate(
  lost: LostCall,
  before: Inventory | null,
  after: Inventory,
): TaskResult {
  if (!before) return unknownAfterContact(lost, NOTHING_TO_COMPARE);
  const [was, is] = [pendingUpdates(before), pendingUpdates(after)];
  const plugins = compareItems(was.plugins, is.plugins, after.plugins, ({ plugin }) => plugin);
  const themes = compareItems(was.themes, is.themes, after.themes, ({ slug }) => slug);
  const cores = compareItems(was.core, is.core, [after.core], () => '');
  const [core = null] = cores.map(({ new_version, success }) => ({ new_version, success }));
  const errors = [
    ...plugins.map((item) => ({ ...item, type: 'plugin' as const })),
    ...themes.map((item) => ({ ...item, type: 'theme' as const })),
    ...cores.map((item) => ({ ...item, type: 'core' as const, slug: null })),
  ]
    .filter(({ success }) => !success)
    .map(({ type, slug }) => ({ type, slug, error: NOT_INSTALLED }));
  const details = { success: errors.length === 0, results: { plugins, themes, core }, errors };
  const result = resultFromBody(null, details);
  if (result.status === 'succeeded') return result;
  const found = result.status === 'partial' ? SOME_UPDATED : NONE_UPDATED;
  return { ...result, ...reasonOf(lost, found) };
}

/** Covers the items that were pending before, and those that are pending only now. */
function compareItems<Item extends Versions>(
  was: Item[],
  is: Item[],
  installed: Item[],
  slugOf: (item: Item) => string,
): ItemUpdateResult[] {
  const known = new Set(was.map(slugOf));
  const now = new Map(installed.map((item) => [slugOf(item), item]));
  return [...was, ...is.filter((item) => !known.has(slugOf(item)))].map((item) => {
    const found = now.get(slugOf(item));
    const seen = { slug: slugOf(item), new_version: found?.version ?? '' };
    if (isInstalled(item, found)) return { ...seen, success: true };
    return { ...seen, success: false, error: NOT_INSTALLED };
  });
}

/** Derives the result of a lost action on one plugin from the next report. */
export function reconcileAction(
  lost: LostCall,
  { action, plugin }: PluginActionRequest,
  before: Inventory | null,
  after: Inventory,
): TaskResult {
  const was = before?.plugins.find((item) => item.plugin === plugin);
  const is = after.plugins.find((item) => item.plugin === plugin);
  const isDone = {
    activate: is?.active === true,
    deactivate: is !== undefined && !is.active,
    delete: is === undefined,
    // Without a known pending update, success means that none is pending now.
    update: was?.new_version
      ? isInstalled(was, is)
      : is !== undefined && is.new_version === undefined,
  }[action];
  if (isDone) return resultFromBody(null, { success: true });
  const found = `${VERIFIED} ${describePlugin(action, is)}. Try again.`;
  return { ...unknownAfterContact(lost, found), status: 'failed' };
}

const NOT_INSTALLED = 'The update is not installed.';
const VERIFIED = 'Steward verified the site:';
const NONE_UPDATED = `${VERIFIED} no updates were installed. Try again.`;
const SOME_UPDATED = `${VERIFIED} some updates were installed. Retry the rest.`;
const MAY_HAVE_CHANGED = 'The site may have changed';
const NO_REPORT = `${MAY_HAVE_CHANGED}, and it has not reported since. Sync it to check.`;
const NO_REPORT_BUT_RESPONSE = `${MAY_HAVE_CHANGED}. It responds again but has not reported. Check that it can reach the panel, then sync it.`;
const NOTHING_TO_COMPARE = `${MAY_HAVE_CHANGED}: its versions before the call are not known. Check its current versions.`;

function describePlugin(
  action: PluginActionRequest['action'],
  is: Inventory['plugins'][number] | undefined,
): string {
  if (is === undefined) return 'the plugin is not installed';
  if (action === 'update') return `the plugin is at version ${is.version}`;
  return `the plugin is ${is.active ? 'active' : 'inactive'}`;
}

/** Keeps the reason for the lost response and appends what Steward found out since. */
function reasonOf({ http_status, code, error }: LostCall, found: string) {
  return { http_status, code, error: error === null ? found : `${asSentence(error)} ${found}` };
}

/** A text from a site may lack the final period. */
function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function stillUnknown(lost: LostCall, found: string): TaskResult {
  return { ...reasonOf(lost, found), status: 'unknown', details: null, sent: true };
}

/** The site sent no report to reconcile with. */
export function notReported(
  lost: LostCall,
  { hasResponded }: { hasResponded: boolean },
): TaskResult {
  return hasResponded
    ? unknownAfterContact(lost, NO_REPORT_BUT_RESPONSE)
    : stillUnknown(lost, NO_REPORT);
}

function unknownAfterContact(lost: LostCall, found: string): TaskResult {
  return { ...stillUnknown(lost, found), hasRespondedSince: true };
}

/** The site is down, so the lost call cannot be reconciled. */
export function siteIsDown(lost: LostCall): TaskResult {
  return { ...stillUnknown(lost, IS_DOWN), code: 'site_down' };
}

const IS_DOWN = `${MAY_HAVE_CHANGED}. It is down now: every request ends in an error. Check its error log, and sync it once it is up.`;
