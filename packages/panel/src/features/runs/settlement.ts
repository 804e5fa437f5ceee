import {
  type BulkUpdateResponse,
  type Inventory,
  isNewerVersion,
  type PendingUpdates,
  type PluginActionRequest,
  pendingUpdates,
} from '@steward/contract';
import { resultOfAnswer, type TaskResult } from './task-result.ts';

/** A version, and the one that is offered for it. */
type Versions = { version: string; new_version?: string | undefined };

/**
 * Whether an update that was pending is there now. The offer may have been an old one: a version that
 * is newer than it will do, and so will any newer one that leaves nothing to update. An offer that is
 * gone alone proves nothing.
 */
function hasReached(before: Versions, after: Versions | undefined): boolean {
  const wanted = before.new_version;
  if (after === undefined || wanted === undefined) return false;
  if (after.version === wanted) return true;
  if (!isNewerVersion(after.version, before.version)) return false;
  return after.new_version === undefined || isNewerVersion(after.version, wanted);
}

/**
 * What became of a call whose answer was lost, seen from what the site has reported since. What was
 * pending before and is there now was done, whoever heard of it. What is pending now and was not before
 * was not done: the site may have known of it all along.
 */
export function settleUpdate(
  lost: TaskResult,
  before: Inventory | null,
  after: Inventory | null,
): TaskResult {
  if (!before || !after) return stillUnknown(lost);
  const pluginNow = new Map(after.plugins.map((item) => [item.plugin, item]));
  const themeNow = new Map(after.themes.map((item) => [item.slug, item]));
  const seen = (slug: string, was: Versions, is: Versions | undefined) => {
    const item = { slug, new_version: is?.version ?? '' };
    return hasReached(was, is)
      ? { ...item, success: true }
      : { ...item, success: false, error: NOT_DONE };
  };
  const pending = withNewcomers(pendingUpdates(before), pendingUpdates(after));
  const plugins = pending.plugins.map((item) =>
    seen(item.plugin, item, pluginNow.get(item.plugin)),
  );
  const themes = pending.themes.map((item) => seen(item.slug, item, themeNow.get(item.slug)));
  const [core = null] = pending.core.map((item) => ({
    new_version: after.core.version,
    success: hasReached(item, after.core),
  }));
  const details = asResponse(plugins, themes, core);
  const result = resultOfAnswer(null, details);
  return result.status === 'succeeded' ? result : { ...result, ...reasonOf(lost, LOOKED_UP) };
}

function withNewcomers(before: PendingUpdates, after: PendingUpdates): PendingUpdates {
  const plugins = new Set(before.plugins.map(({ plugin }) => plugin));
  const themes = new Set(before.themes.map(({ slug }) => slug));
  return {
    plugins: [...before.plugins, ...after.plugins.filter(({ plugin }) => !plugins.has(plugin))],
    themes: [...before.themes, ...after.themes.filter(({ slug }) => !themes.has(slug))],
    core: before.core.length > 0 ? before.core : after.core,
  };
}

/** The same for one action on one plugin. */
export function settleAction(
  lost: TaskResult,
  { action, plugin }: PluginActionRequest,
  before: Inventory | null,
  after: Inventory | null,
): TaskResult {
  if (!after) return stillUnknown(lost);
  const was = before?.plugins.find((item) => item.plugin === plugin);
  const is = after.plugins.find((item) => item.plugin === plugin);
  const isDone = {
    activate: is?.active === true,
    deactivate: is !== undefined && !is.active,
    delete: is === undefined,
    // Where nothing is known to have been pending, it was asked to be at its latest version.
    update: was?.new_version
      ? hasReached(was, is)
      : is !== undefined && is.new_version === undefined,
  }[action];
  if (isDone) return resultOfAnswer(null, {});
  return {
    status: 'failed',
    http_status: null,
    ...reasonOf(lost, LOOKED_UP),
    details: null,
    isSettled: true,
  };
}

const NOT_DONE = 'The update was not there afterwards.';
const LOST = 'The connection was lost while the site worked.';
const LOOKED_UP = 'What it has done was looked up afterwards; try the rest again.';
const SYNC_IT = 'The site has not said since what it has: sync it to see what was done.';

/** A site that broke off has said why, and knows it better than anybody who only lost its answer. */
function reasonOf({ code, error }: TaskResult, next: string): { code: string; error: string } {
  return code === 'action_failed'
    ? { code, error: `${error} ${next}` }
    : { code: 'site_unreachable', error: `${LOST} ${next}` };
}

function stillUnknown(lost: TaskResult): TaskResult {
  return { status: 'unknown', http_status: null, ...reasonOf(lost, SYNC_IT), details: null };
}

function asResponse(
  plugins: BulkUpdateResponse['results']['plugins'],
  themes: BulkUpdateResponse['results']['themes'],
  core: BulkUpdateResponse['results']['core'],
): BulkUpdateResponse {
  const failures = [
    ...plugins.map((item) => ({ ...item, type: 'plugin' as const })),
    ...themes.map((item) => ({ ...item, type: 'theme' as const })),
    ...(core ? [{ ...core, slug: null, type: 'core' as const }] : []),
  ].filter(({ success }) => !success);
  return {
    success: failures.length === 0,
    results: { plugins, themes, core },
    errors: failures.map(({ type, slug }) => ({ type, slug, error: NOT_DONE })),
  };
}
