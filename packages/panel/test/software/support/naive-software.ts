import {
  type Inventory,
  isManagementPlugin,
  isNewerVersion,
  type SoftwareFilter,
  type SoftwareItem,
  type SoftwareType,
} from '@steward/contract';

/** An item of one site. */
export type InstalledItem = {
  type: SoftwareType;
  slug: string;
  name: string;
  version: string;
  new_version?: string | undefined;
  active: boolean;
};

export function itemsOf({ plugins, themes, core }: Inventory): InstalledItem[] {
  return [
    ...plugins.map(({ plugin, ...item }) => ({ type: 'plugin' as const, slug: plugin, ...item })),
    ...themes.map((item) => ({ type: 'theme' as const, ...item })),
    { type: 'core', slug: 'core', name: 'Core', active: true, ...core },
  ];
}

export const isOutdated = ({ type, slug, new_version }: InstalledItem) =>
  new_version !== undefined && !(type === 'plugin' && isManagementPlugin(slug));

const count = <Item>(list: Item[], matches: (item: Item) => boolean) => list.filter(matches).length;

const compareVersions = (a: string, b: string) =>
  isNewerVersion(a, b) ? -1 : isNewerVersion(b, a) ? 1 : a < b ? 1 : -1;

/** What the list must return for these inventories, in no order: computed without any index or count. */
export function naiveSoftware(inventories: Inventory[]): SoftwareItem[] {
  const installed = inventories.flatMap(itemsOf);
  const groups = Map.groupBy(installed, ({ type, slug }) => `${type} ${slug}`);
  return [...groups.values()].map((items) => {
    const { type, slug, name } = items.at(-1) as InstalledItem;
    const byVersion = Map.groupBy(items, ({ version }) => version);
    const versions = [...byVersion]
      .map(([version, sites]) => ({ version, sites: sites.length }))
      .toSorted((a, b) => b.sites - a.sites || compareVersions(a.version, b.version));
    const [newest_version = ''] = items
      .flatMap(({ version, new_version }) => [version, new_version ?? version])
      .toSorted(compareVersions);
    return {
      type,
      slug,
      name,
      sites: items.length,
      active_sites: count(items, ({ active }) => active),
      outdated_sites: count(items, isOutdated),
      newest_version,
      versions: versions.slice(0, 5),
      other_versions: Math.max(0, versions.length - 5),
    };
  });
}

export const NAIVE_FILTERS: Record<SoftwareFilter, (item: SoftwareItem) => boolean> = {
  outdated: ({ outdated_sites }) => outdated_sites > 0,
  inactive: ({ active_sites }) => active_sites === 0,
  single_site: ({ sites }) => sites === 1,
};
