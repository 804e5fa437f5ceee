import type { Inventory } from '@steward/contract';

/** The folders of what the panel works through on a site; it is never changed from here. */
const MANAGEMENT_FOLDERS = ['steward'];

export function isManagementPlugin(plugin: string): boolean {
  return MANAGEMENT_FOLDERS.includes(plugin.split('/', 1)[0] ?? '');
}

/** How many updates a bulk update would run; it leaves out the management plugin. */
export function pendingIn(inventory: Inventory | null): number {
  if (!inventory) return 0;
  const { plugins, themes, core } = inventory;
  const isPending = (item: { new_version?: string }) => item.new_version !== undefined;
  return (
    plugins.filter((item) => isPending(item) && !isManagementPlugin(item.plugin)).length +
    themes.filter(isPending).length +
    Number(isPending(core))
  );
}
