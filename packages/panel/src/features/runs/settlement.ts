import type { BulkUpdateResponse, Inventory, PluginActionRequest } from '@steward/contract';
import { resultOfAnswer, type TaskResult } from './task-result.ts';

/**
 * What became of a call whose answer was lost, seen from what the site has reported since. What was
 * pending before and is there now was done, whoever heard of it.
 */
export function settleUpdate(before: Inventory | null, after: Inventory | null): TaskResult {
  if (!before || !after)
    return notTold('The answer was lost, and the site has not said what it has.');
  const versions = new Map<string, string>([
    ...after.plugins.map((item) => [`plugin ${item.plugin}`, item.version] as const),
    ...after.themes.map((item) => [`theme ${item.slug}`, item.version] as const),
  ]);
  const seen = (kind: string, slug: string, wanted: string) => {
    const version = versions.get(`${kind} ${slug}`) ?? '';
    return version === wanted
      ? { slug, new_version: version, success: true }
      : { slug, new_version: version, success: false, error: NOT_DONE };
  };
  const plugins = before.plugins.flatMap((item) =>
    item.new_version === undefined ? [] : [seen('plugin', item.plugin, item.new_version)],
  );
  const themes = before.themes.flatMap((item) =>
    item.new_version === undefined ? [] : [seen('theme', item.slug, item.new_version)],
  );
  const core = before.core.new_version
    ? { new_version: after.core.version, success: after.core.version === before.core.new_version }
    : null;
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
    update: is !== undefined && (is.version === was?.new_version || is.new_version === undefined),
  }[action];
  if (isDone) return resultOfAnswer(null, {});
  return {
    status: 'failed',
    http_status: null,
    code: 'site_unreachable',
    error: LOST,
    details: null,
  };
}

const NOT_DONE = 'The connection was lost, and this version was not there afterwards.';
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
