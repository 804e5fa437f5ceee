import {
  type Inventory,
  type ItemUpdateResult,
  isNewerVersion,
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
  const [was, is] = [pendingUpdates(before), pendingUpdates(after)];
  const plugins = resultsOf(was.plugins, is.plugins, after.plugins, ({ plugin }) => plugin);
  const themes = resultsOf(was.themes, is.themes, after.themes, ({ slug }) => slug);
  const cores = resultsOf(was.core, is.core, [after.core], () => '');
  const [core = null] = cores.map(({ new_version, success }) => ({ new_version, success }));
  const errors = [
    ...plugins.map((item) => ({ ...item, type: 'plugin' as const })),
    ...themes.map((item) => ({ ...item, type: 'theme' as const })),
    ...cores.map((item) => ({ ...item, type: 'core' as const, slug: null })),
  ]
    .filter(({ success }) => !success)
    .map(({ type, slug }) => ({ type, slug, error: NOT_DONE }));
  const details = { success: errors.length === 0, results: { plugins, themes, core }, errors };
  const result = resultOfAnswer(null, details);
  if (result.status === 'succeeded') return result;
  const found = result.status === 'partial' ? SOME_UPDATED : NONE_UPDATED;
  return { ...result, ...reasonOf(lost, found) };
}

/** Of what was pending before, and of what is now and was not. */
function resultsOf<Item extends Versions>(
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
    if (hasReached(item, found)) return { ...seen, success: true };
    return { ...seen, success: false, error: NOT_DONE };
  });
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
  if (isDone) return resultOfAnswer(null, { success: true });
  const found = `${ASKED_AGAIN} ${whatIsThere(action, is)}. Try again.`;
  return { ...answeredUnknown(lost, found), status: 'failed' };
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

/** The site was asked about a lost call, and has sent no report. */
export function notReported(lost: LostCall, { hasAnswered }: { hasAnswered: boolean }): TaskResult {
  return hasAnswered ? answeredUnknown(lost, NOT_REPORTED) : stillUnknown(lost, NOTHING_SAID);
}

function answeredUnknown(lost: LostCall, found: string): TaskResult {
  return { ...stillUnknown(lost, found), hasAnsweredSince: true };
}

/** The site was asked about a lost call, and is dead. */
export function siteIsDown(lost: LostCall): TaskResult {
  return { ...stillUnknown(lost, IS_DOWN), code: 'site_down' };
}

const IS_DOWN = `${MAY_BE_DONE}. The site is down now: it answers with an error of its own. Look into its error log, and sync it once it is up.`;
