import { runsMessages } from '../messages/runs.ts';
import type { Run, Task } from './runs-api.ts';

type Item = NonNullable<Task['items']>[number];

const MAX_NAMED = 2;

/** "WooCommerce 8.1", "WooCommerce and Akismet", "5 items". `items` may omit some items; `total` counts all. */
export function describeItems(run: Run, items: Item[], total = items.length): string {
  // Sites can offer different versions of the same item.
  const byKey = Map.groupBy(items, ({ type, slug }) => `${type} ${slug}`);
  const amount = total > items.length ? total : byKey.size;
  if (amount > MAX_NAMED) return runsMessages.items.count(amount);
  return [...byKey.values()]
    .map((sameItem) => nameWithVersion(run, sameItem))
    .join(runsMessages.items.and);
}

function nameWithVersion(run: Run, sameItem: Item[]): string {
  const [item] = sameItem;
  if (!item) return '';
  const name = itemName(run, item);
  const hasOneVersion = sameItem.every(({ version }) => version === item.version);
  return hasOneVersion && item.version !== undefined ? `${name} ${item.version}` : name;
}

/** The name of an item. Without a name, plugins and themes are identified by their slug. */
export function itemName({ item_names }: Run, { type, slug }: Pick<Item, 'type' | 'slug'>): string {
  const known = item_names.find((each) => each.type === type && each.slug === slug);
  if (known) return known.name;
  if (type === 'core') return runsMessages.task.coreItem;
  return type === 'translation' ? runsMessages.task.translations : slug;
}

/** The name of the plugin of a plugin action. */
export function pluginName(run: Run): string | undefined {
  const { plugin } = run.request;
  return plugin === undefined ? undefined : itemName(run, { type: 'plugin', slug: plugin });
}
