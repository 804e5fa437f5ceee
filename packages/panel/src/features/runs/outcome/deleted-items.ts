import { type BulkUpdateResponse, type Inventory, pendingUpdates } from '@steward/contract';

/** An item whose update was pending before the call, and that the response does not mention. */
type MissingItem = { type: 'plugin' | 'theme'; slug: string; name: string };

const NAMED_ITEMS_MAX = 5;

/** Finds the pending updates that a site did not mention after a call for all of them. */
export function findMissingItems(
  before: Inventory,
  { results }: BulkUpdateResponse,
): MissingItem[] {
  const pending = pendingUpdates(before);
  const plugins = new Set(results.plugins.map(({ slug }) => slug));
  const themes = new Set(results.themes.map(({ slug }) => slug));
  return [
    ...pending.plugins
      .filter(({ plugin }) => !plugins.has(plugin))
      .map(({ plugin, name }) => ({ type: 'plugin' as const, slug: plugin, name })),
    ...pending.themes
      .filter(({ slug }) => !themes.has(slug))
      .map(({ slug, name }) => ({ type: 'theme' as const, slug, name })),
  ];
}

/**
 * Says which of the missing items are not installed any more, from a report after the call; null if all of them are. The
 * others were updated by someone else, or the site no longer offers their update.
 */
export function describeDeletedItems(missing: MissingItem[], after: Inventory): string | null {
  const plugins = new Set(after.plugins.map(({ plugin }) => plugin));
  const themes = new Set(after.themes.map(({ slug }) => slug));
  const deleted = missing.filter(
    ({ type, slug }) => !(type === 'plugin' ? plugins : themes).has(slug),
  );
  if (deleted.length === 0) return null;
  const names = deleted.slice(0, NAMED_ITEMS_MAX).map(({ name, slug }) => name || slug);
  const others = deleted.length - names.length;
  const subject = [...names, ...(others > 0 ? [`${others} more`] : [])].join(', ');
  return `Not updated, because not installed on the site any more: ${subject}. The files were deleted there after the last report.`;
}
