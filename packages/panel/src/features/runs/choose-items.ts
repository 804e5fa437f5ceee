import { isSameVersion, UPDATE_ITEMS_MAX, type UpdateItem } from '@steward/contract';

/** An item on a site. `new_version` is null if no update is pending. */
export type InstalledItem = {
  type: UpdateItem['type'];
  slug: string;
  new_version: string | null;
};

/**
 * Chooses the items for one site: the requested items that the site offers in a requested version. The version gets the
 * spelling of the site, because the site compares it exactly with its offer. Reports do not contain translations, so
 * they always count as offered. If the site offers none of the items, chooses all requested items that are installed:
 * the response of the site then explains what changed since the user chose.
 */
export function chooseItems(requested: UpdateItem[], installed: InstalledItem[]): UpdateItem[] {
  const found = [...Map.groupBy(requested, toKey).values()].flatMap((choices) => {
    const [first] = choices;
    if (!first) return [];
    if (first.type === 'translation') return [{ isPending: true, item: first }];
    const onSite = installed.find((item) => toKey(item) === toKey(first));
    if (!onSite) return [];
    const { new_version } = onSite;
    const offered =
      new_version !== null &&
      choices.find(({ version = new_version }) => isSameVersion(version, new_version));
    if (!offered) return [{ isPending: false, item: first }];
    const hasVersion = offered.version !== undefined;
    return [{ isPending: true, item: { ...offered, ...(hasVersion && { version: new_version }) } }];
  });
  const pending = found.filter(({ isPending }) => isPending);
  const chosen = pending.length > 0 ? pending : found;
  return chosen.slice(0, UPDATE_ITEMS_MAX).map(({ item }) => item);
}

const toKey = ({ type, slug }: { type: string; slug: string }) => `${type} ${slug}`;
