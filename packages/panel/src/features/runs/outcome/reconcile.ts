import {
  type BulkUpdateResponse,
  type Inventory,
  isNewerVersion,
  type PendingUpdates,
  type PluginActionRequest,
  pendingUpdates,
} from '@steward/contract';
import { resultOfAnswer, type TaskResult } from './task-outcome.ts';

/** How the answer to a call was lost. */
export type LostCall = Pick<TaskResult, 'http_status' | 'code' | 'error'>;

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
export function reconcileUpdate(
  lost: LostCall,
  before: Inventory | null,
  after: Inventory,
): TaskResult {
  if (!before) return answeredUnknown(lost, NOTHING_TO_COMPARE);
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
  if (result.status === 'succeeded') return result;
  const found = result.status === 'partial' ? SOME_UPDATED : NONE_UPDATED;
  return { ...result, ...reasonOf(lost, found) };
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
    // Where nothing is known to have been pending, it was asked to be at its latest version.
    update: was?.new_version
      ? hasReached(was, is)
      : is !== undefined && is.new_version === undefined,
  }[action];
  if (isDone) return resultOfAnswer(null, {});
  const found = `${ASKED_AGAIN} ${whatIsThere(action, is)}. Try again.`;
  return { ...stillUnknown(lost, found), status: 'failed', hasAnsweredSince: true };
}

const NOT_DONE = 'The update was not there afterwards.';
const ASKED_AGAIN = 'The site was asked afterwards what it has:';
const NONE_UPDATED = `${ASKED_AGAIN} no update was made. Try again.`;
const SOME_UPDATED = `${ASKED_AGAIN} some updates were made. Try the rest again.`;
const MAY_BE_DONE = 'What was asked may have been done';
const NOTHING_SAID = `${MAY_BE_DONE}, and the site has not said since what it has: sync it to see.`;
const NOT_REPORTED = `${MAY_BE_DONE}. The site answers again, but has not reported: see that it can reach the panel, then sync it.`;
const NOTHING_TO_COMPARE = `${MAY_BE_DONE}: what the site had before is not known. Look at what it has now.`;

function whatIsThere(
  action: PluginActionRequest['action'],
  is: Inventory['plugins'][number] | undefined,
): string {
  if (is === undefined) return 'the plugin is not there';
  if (action === 'update') return `the plugin is at version ${is.version}`;
  return `the plugin is there, and ${is.active ? 'active' : 'not active'}`;
}

/** How the call was lost stays the reason; what is known of it since comes behind. */
function reasonOf({ http_status, code, error }: LostCall, found: string) {
  return { http_status, code, error: error === null ? found : `${asSentence(error)} ${found}` };
}

/** A site's own words may end anyhow. */
function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function stillUnknown(lost: LostCall, found: string): TaskResult {
  return { ...reasonOf(lost, found), status: 'unknown', details: null, sent: true };
}

/** The site was asked about a lost call, and did not do as it was asked then either. */
export function notAnswered(lost: LostCall): TaskResult {
  return stillUnknown(lost, NOTHING_SAID);
}

/** The site answered, but sent no report. */
export function notReported(lost: LostCall): TaskResult {
  return answeredUnknown(lost, NOT_REPORTED);
}

function answeredUnknown(lost: LostCall, found: string): TaskResult {
  return { ...stillUnknown(lost, found), hasAnsweredSince: true };
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
