/** The plugins of the sites, each with a pending update. */
export const createPluginNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `shop-${index}/shop.php`);
