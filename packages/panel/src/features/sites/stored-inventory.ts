import { createHash } from 'node:crypto';
import type { Inventory } from '@steward/contract';

/**
 * Drops unknown fields, for example of a newer plugin: the schema does not limit their content. The requirements of
 * pending updates are stored with the preflight.
 */
export function keepKnownFields({ plugins, themes, core }: Inventory): Inventory {
  const pickUpdateFields = ({ new_version, auto_update }: Inventory['core']) => ({
    ...(new_version !== undefined && { new_version }),
    ...(auto_update !== undefined && { auto_update }),
  });
  const pickCommonFields = (item: Inventory['plugins'][number] | Inventory['themes'][number]) => ({
    name: item.name,
    version: item.version,
    active: item.active,
    ...pickUpdateFields(item),
    ...(item.saved_versions && { saved_versions: item.saved_versions }),
  });
  return {
    plugins: plugins.map((item) => ({ plugin: item.plugin, ...pickCommonFields(item) })),
    themes: themes.map((item) => ({ slug: item.slug, ...pickCommonFields(item) })),
    core: { version: core.version, ...pickUpdateFields(core) },
  };
}

/** Two inventories with the same hash are the same, in the same order. */
export const hashInventory = (inventory: Inventory): Buffer =>
  createHash('sha256').update(JSON.stringify(inventory)).digest();
