import { UPDATE_ITEMS_MAX, type UpdateItem } from '@steward/contract';

/** An item on a site. `new_version` is null if no update is pending. */
export type InstalledItem = {
  type: UpdateItem['type'];
  slug: string;
  new_version: string | null;
};

/**
 * Chooses the items for one site: the requested items that the site offers in a requested version. If there are none,
 * all requested items that are installed: the response of the site then explains what changed since the user chose.
 */
export function chooseItems(requested: UpdateItem[], installed: InstalledItem[]): UpdateItem[] {
  const found = [...Map.groupBy(requested, toKey).values()].flatMap((choices) => {
    const [first] = choices;
    if (!first) return [];
    if (first.type === 'translation') return [{ isPending: true, item: first }];
    const onSite = installed.find((item) => toKey(item) === toKey(first));
    if (!onSite) return [];
    const offered = choices.find(
      ({ version = onSite.new_version }) => version !== null && version === onSite.new_version,
    );
    return [{ isPending: offered !== undefined, item: offered ?? first }];
  });
  const pending = found.filter(({ isPending }) => isPending);
  const chosen = pending.length > 0 ? pending : found;
  return chosen.slice(0, UPDATE_ITEMS_MAX).map(({ item }) => item);
}

const toKey = ({ type, slug }: { type: string; slug: string }) => `${type} ${slug}`;
