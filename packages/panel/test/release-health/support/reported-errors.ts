import type { ItemErrorGroup } from '@steward/contract';

export const SHOP = { type: 'plugin', slug: 'shop/shop.php' } as const;

/** An error of the plugin Shop 2.0 that an administrator caused at this time. */
export const errorGroup = (change: Partial<ItemErrorGroup> = {}): ItemErrorGroup => ({
  ...{ ...SHOP, version: '2.0', message: 'Call to undefined function sell()' },
  ...{ place: 'includes/cart.php:120', request_kind: 'admin', is_confirmed: true, count: 1 },
  ...{ first_at: '2026-06-01T12:00:00Z', last_at: '2026-06-01T12:00:00Z' },
  ...change,
});

export const errorsAt = (now: Date, ...groups: Partial<ItemErrorGroup>[]) => ({
  now: now.toISOString(),
  dropped: 0,
  groups: groups.map((group) => {
    const time = now.toISOString();
    return errorGroup({ first_at: time, last_at: time, ...group });
  }),
});
