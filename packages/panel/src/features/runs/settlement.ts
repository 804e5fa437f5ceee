import {
  type BulkUpdateResponse,
  type Inventory,
  isNewerVersion,
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
 * pending before and is there now was done, whoever heard of it.
 */
export function settleUpdate(before: Inventory | null, after: Inventory | null): TaskResult {
  if (!before || !after)
    return notTold('The answer was lost, and the site has not said what it has.');
  const pluginNow = new Map(after.plugins.map((item) => [item.plugin, item]));
  const themeNow = new Map(after.themes.map((item) => [item.slug, item]));
  const seen = (slug: string, was: Versions, is: Versions | undefined) => {
    const item = { slug, new_version: is?.version ?? '' };
    return hasReached(was, is)
      ? { ...item, success: true }
      : { ...item, success: false, error: NOT_DONE };
  };
  const pending = pendingUpdates(before);
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
  if (result.status === 'succeeded') return result;
  return { ...result, code: 'site_unreachable', error: LOST };
}

/** The same for one action on one plugin. */
export function settleAction(
  { action, plugin }: PluginActionRequest,
  before: Inventory | null,
  after: Inventory | null,
): TaskResult {
  if (!after) return notTold('The answer was lost, and the site has not said what it has.');
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
    code: 'site_unreachable',
    error: LOST,
    details: null,
    isSettled: true,
  };
}

const NOT_DONE = 'The connection was lost, and the update was not there afterwards.';
const LOST =
  'The connection was lost while the site worked. What it has done was looked up afterwards; try the rest again.';

function notTold(error: string): TaskResult {
  return { status: 'unknown', http_status: null, code: 'site_unreachable', error, details: null };
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
