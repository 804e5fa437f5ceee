import {
  FILE_CHANGES,
  type Inventory,
  PREFLIGHT_ITEM_TYPES,
  type PreflightItemType,
  type PreflightReport,
  type StoredPreflight,
  type StoredRequirement,
} from '@steward/contract';

/**
 * Returns the part of a preflight report that the panel stores, and the requirements of the pending updates. Drops words
 * that this version of the panel does not know.
 */
export function toStoredPreflight(
  report: PreflightReport,
  inventory: Inventory | undefined,
): StoredPreflight {
  const { remote_enabled, free_bytes, locked } = report;
  const file_changes = FILE_CHANGES.find((known) => known === report.file_changes);
  const not_writable = (report.not_writable ?? []).flatMap(({ type, folder, active_only }) => {
    const known = PREFLIGHT_ITEM_TYPES.find((each) => each === type);
    if (!known) return [];
    return [{ type: known, folder: toOneLine(folder), ...(active_only && { active_only }) }];
  });
  return {
    ...(remote_enabled !== undefined && { remote_enabled }),
    ...(file_changes !== undefined && { file_changes }),
    ...(not_writable.length > 0 && { not_writable }),
    ...(free_bytes !== undefined && { free_bytes }),
    ...(locked !== undefined && { locked }),
    items: inventory ? listRequirements(inventory) : [],
  };
}

const toOneLine = (text: string) => text.replace(/\p{Cc}+/gu, ' ').trim();

type ReportedItem = Inventory['plugins'][number] | Inventory['themes'][number] | Inventory['core'];

function listRequirements({ plugins, themes, core }: Inventory): StoredRequirement[] {
  const activeSlugs = new Set(
    plugins.filter(({ active }) => active).map(({ plugin }) => toDirectorySlug(plugin)),
  );
  const read = (type: PreflightItemType, slug: string, item: ReportedItem) => {
    if (item.new_version === undefined) return [];
    const { requires_php, requires, requires_plugins = [], package_bytes } = item;
    // An inactive plugin can be updated without the plugins that it requires.
    const isActive = !('active' in item) || item.active;
    const missing = isActive ? requires_plugins.filter((each) => !activeSlugs.has(each)) : [];
    const needs = {
      ...(requires_php !== undefined && { requires_php }),
      ...(requires !== undefined && { requires }),
      ...(missing.length > 0 && { missing_plugins: missing.map(toOneLine) }),
      ...(package_bytes !== undefined && { package_bytes }),
    };
    return Object.keys(needs).length > 0
      ? [{ type, slug, version: item.new_version, ...needs }]
      : [];
  };
  return [
    ...plugins.flatMap((item) => read('plugin', item.plugin, item)),
    ...themes.flatMap((item) => read('theme', item.slug, item)),
    ...read('core', 'core', core),
  ];
}

/** Converts the file of a plugin to its slug in the public directory, as in `requires_plugins`. */
const toDirectorySlug = (plugin: string) =>
  plugin.includes('/') ? plugin.replace(/\/.*$/, '') : plugin.replace(/\.php$/, '');
