import {
  type Inventory,
  type ItemUpdateResult,
  isManagementPlugin,
  isSameVersion,
} from '@steward/contract';
import { folderOf } from '../choose-packages.ts';
import type { RunItem } from '../tables.ts';
import {
  CHECKED,
  describeError,
  type LostCall,
  NOTHING_TO_COMPARE,
  unknownResultAfterContact,
} from './reconcile.ts';
import { resultFromBody, type TaskResult } from './task-outcome.ts';

/** A plugin or theme of a report. */
type Found = { slug: string; name: string; version: string };
type FindItem = (inventory: Inventory, item: RunItem) => Found | undefined;

/** An item is installed if the site now has it in the requested version. */
export function reconcileInstall(
  lost: LostCall,
  items: RunItem[],
  before: Inventory | null,
  after: Inventory,
): TaskResult {
  return compareVersions(lost, items, { before, after }, findByFolder, {
    notDone: 'The package is not installed.',
    none: `${CHECKED} nothing was installed. Try again.`,
    some: `${CHECKED} some packages were installed. Retry the rest.`,
  });
}

/** An item is restored if the site now has it in the requested version. */
export function reconcileRestore(
  lost: LostCall,
  items: RunItem[],
  before: Inventory | null,
  after: Inventory,
): TaskResult {
  return compareVersions(lost, items, { before, after }, findBySlug, {
    notDone: 'The previous version is not installed.',
    none: `${CHECKED} no previous version was restored. Try again.`,
    some: `${CHECKED} some previous versions were restored. Retry the rest.`,
  });
}

/**
 * The Steward plugin is updated if its version changed. If the version did not change, the result stays unknown: no
 * newer version was offered, the update failed, or it was rolled back.
 */
export function reconcileSelfUpdate(
  lost: LostCall,
  before: Inventory | null,
  after: Inventory,
): TaskResult {
  const [pluginBefore, pluginAfter] = [before, after].map((inventory) =>
    inventory?.plugins.find(({ plugin }) => isManagementPlugin(plugin)),
  );
  if (!pluginBefore || !pluginAfter) return unknownResultAfterContact(lost, NOTHING_TO_COMPARE);
  const { plugin: slug, name, version: new_version } = pluginAfter;
  const { version: old_version } = pluginBefore;
  if (new_version === old_version) {
    const finding = `${CHECKED} its Steward plugin is still at version ${new_version}.`;
    return unknownResultAfterContact(lost, finding);
  }
  return toResult([{ slug, name, old_version, new_version, success: true, type: 'plugin' }]);
}

type Sentences = Record<'notDone' | 'none' | 'some', string>;
type TypedResult = ItemUpdateResult & { type: RunItem['type'] };

function compareVersions(
  lost: LostCall,
  items: RunItem[],
  { before, after }: { before: Inventory | null; after: Inventory },
  find: FindItem,
  sentences: Sentences,
): TaskResult {
  const results = items.map((item): TypedResult => {
    const [foundBefore, found] = [before && find(before, item), find(after, item)];
    const name = found?.name ?? item.name;
    const result = {
      type: item.type,
      slug: item.slug,
      ...(name !== undefined && { name }),
      ...(foundBefore && { old_version: foundBefore.version }),
      new_version: found?.version ?? '',
      ...(found && found.slug !== item.slug && { new_plugin: found.slug }),
    };
    if (found && isSameVersion(found.version, item.version ?? ''))
      return { ...result, success: true };
    return { ...result, success: false, error: sentences.notDone };
  });
  const result = toResult(results);
  if (result.status === 'succeeded') return result;
  const finding = result.status === 'partial' ? sentences.some : sentences.none;
  return { ...result, ...describeError(lost, finding) };
}

function toResult(results: TypedResult[]): TaskResult {
  const pick = (wanted: RunItem['type']) =>
    results.filter(({ type }) => type === wanted).map(({ type: _, ...result }) => result);
  const errors = results
    .filter(({ success }) => !success)
    .map(({ type, slug, error = '' }) => ({ type, slug, error }));
  const lists = { plugins: pick('plugin'), themes: pick('theme'), core: null };
  return resultFromBody(null, { success: errors.length === 0, results: lists, errors });
}

const findBySlug: FindItem = (inventory, { type, slug }) =>
  listItems(inventory, type).find((item) => item.slug === slug);

/** An item of the public directory is known by its folder only. */
const findByFolder: FindItem = (inventory, item) =>
  listItems(inventory, item.type).find((found) => folderOf(found) === folderOf(item));

function listItems({ plugins, themes }: Inventory, type: RunItem['type']): Found[] {
  return type === 'theme'
    ? themes
    : plugins.map(({ plugin, ...item }) => ({ ...item, slug: plugin }));
}
