import { DEFAULT_ROLLOUT_SETTINGS } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { compareWithLimits } from './items-over-limit.ts';

const SHOP = { type: 'plugin', slug: 'shop/shop.php', version: '2.0' } as const;
const BLOG = { type: 'plugin', slug: 'blog/blog.php', version: '2.0' } as const;
const ROLLOUT = {
  items: [SHOP, BLOG],
  settings: {
    ...DEFAULT_ROLLOUT_SETTINGS,
    first_ring_max_troubled: 1,
    later_max_troubled_percent: 10,
  },
};

const count = (
  ring: number,
  tried: number,
  open = 0,
  { type, slug }: typeof SHOP | typeof BLOG = SHOP,
) => ({
  ...{ ring, type, slug, tried, open },
});
const troubles = (ring: number, sites: number, items: (typeof SHOP | typeof BLOG)[] = [SHOP]) =>
  Array.from({ length: sites }, () => ({ ring, items }));
const judge = (...args: [ReturnType<typeof troubles>, ReturnType<typeof count>[]]) =>
  compareWithLimits(ROLLOUT, ...args).map(({ item, ring, troubles: found }) => [
    item.slug,
    ring,
    found.length,
  ]);

describe('an item is over its limit', () => {
  it('in the first ring that tried it, by the number of sites', () => {
    expect(judge(troubles(0, 1), [count(0, 3)])).toEqual([]);
    expect(judge(troubles(0, 2), [count(0, 3)])).toEqual([[SHOP.slug, 0, 2]]);
  });

  it('in the second ring as in the first, if no site of the first tried it', () => {
    const counts = [count(0, 0, 4), count(1, 50)];
    expect(judge(troubles(1, 2), counts)).toEqual([[SHOP.slug, 1, 2]]);
  });

  it('in later rings, by the share of the sites that get it, also of those that are open', () => {
    const counts = [count(0, 5), count(1, 10, 10)];
    expect(judge(troubles(1, 2), counts)).toEqual([]);
    expect(judge(troubles(1, 3), counts)).toEqual([[SHOP.slug, 1, 3]]);
  });

  it('by the sites that got it alone, not by those of other items', () => {
    const counts = [count(0, 5), count(0, 5, 0, BLOG), count(1, 100), count(1, 4, 0, BLOG)];
    expect(judge(troubles(1, 1, [BLOG]), counts)).toEqual([[BLOG.slug, 1, 1]]);
  });

  it('in an earlier ring too', () => {
    const counts = [count(0, 5), count(1, 10)];
    expect(judge([...troubles(0, 2), ...troubles(1, 1)], counts)).toEqual([[SHOP.slug, 0, 2]]);
  });
});
