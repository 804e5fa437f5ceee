import type { Inventory } from './schemas/license-api.ts';

type Pending<Item> = (Item & { new_version: string })[];

export type PendingUpdates = {
  plugins: Pending<Inventory['plugins'][number]>;
  themes: Pending<Inventory['themes'][number]>;
  core: Pending<Inventory['core']>;
};

/** True for every file in the folder `steward`, and for the folder name alone. Ignores case. */
export function isManagementPlugin(plugin: string): boolean {
  return plugin.toLowerCase().split('/')[0] === 'steward';
}

/** The items of a bulk update: all available updates except the Steward plugin. */
export function pendingUpdates({ plugins, themes, core }: Inventory): PendingUpdates {
  return {
    plugins: plugins.filter(isPending).filter(({ plugin }) => !isManagementPlugin(plugin)),
    themes: themes.filter(isPending),
    core: [core].filter(isPending),
  };
}

export function countPending(inventory: Inventory | null): number {
  if (!inventory) return 0;
  const { plugins, themes, core } = pendingUpdates(inventory);
  return plugins.length + themes.length + core.length;
}

function isPending<Item extends { new_version?: string | undefined }>(
  item: Item,
): item is Item & { new_version: string } {
  return item.new_version !== undefined;
}
