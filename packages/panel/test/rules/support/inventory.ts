import type { Inventory } from '@steward/contract';

export const SHOP = 'shop/shop.php';
export const THEME = 'plain';

/** Creates an inventory with one plugin, which has a pending update if `newVersion` is set. */
export function inventoryOf(version: string, newVersion?: string, name = 'shop'): Inventory {
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  const offer = newVersion === undefined ? {} : { new_version: newVersion };
  return {
    plugins: name
      ? [{ plugin: `${name}/${name}.php`, name: title, version, active: true, ...offer }]
      : [],
    themes: [{ slug: THEME, name: 'Plain', version: '1.0', active: true }],
    core: { version: '6.6.2' },
  };
}
