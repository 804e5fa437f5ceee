import { describe, expect, it } from 'vitest';
import { findRetriedItems, limitRequest, limitTaskItems } from './retried-items.ts';
import type { RunItem } from './tables.ts';

const [SHOP, FORM, PAPER]: RunItem[] = [
  { type: 'plugin', slug: 'shop/shop.php', version: '2.0' },
  { type: 'plugin', slug: 'form/form.php', version: '1.5' },
  { type: 'theme', slug: 'paper', version: '3.0' },
] as RunItem[];
const items = [SHOP, FORM, PAPER] as RunItem[];
const succeeded = (plugin: string[], theme: string[] = []) => ({
  ...{ plugin, theme, core: [], translation: [] },
});

type Retried = ReturnType<typeof findRetriedItems>;
const requestedFor = (siteIds: number[], retried: Retried) =>
  limitRequest({ items }, siteIds, retried).items;
const chosenOn = (siteId: number, chosen: RunItem[], retried: Retried) =>
  limitTaskItems({ items: chosen, refusal: null }, retried.get(siteId)).items;

describe('the items of a retry', () => {
  it('are those that did not succeed on one of its sites', () => {
    const retried = findRetriedItems([
      { site_id: 1, items, succeeded: succeeded(['form/form.php'], ['paper']) },
      { site_id: 2, items, succeeded: succeeded(['form/form.php', 'shop/shop.php']) },
    ]);
    expect(requestedFor([1], retried)).toEqual([SHOP]);
    expect(requestedFor([1, 2], retried)).toEqual([SHOP, PAPER]);
    expect(chosenOn(1, items, retried)).toEqual([SHOP]);
    expect(chosenOn(2, items, retried)).toEqual([PAPER]);
  });

  it('are those of the call for a site on which nothing succeeded', () => {
    const retried = findRetriedItems([
      { site_id: 1, items: [SHOP, FORM] as RunItem[], succeeded: null },
    ]);
    expect(requestedFor([1], retried)).toEqual([SHOP, FORM]);
  });

  it('are all requested items for a site that got no call', () => {
    const retried = findRetriedItems([{ site_id: 1, items: null, succeeded: null }]);
    expect(requestedFor([1], retried)).toEqual(items);
    expect(chosenOn(1, items, retried)).toEqual(items);
  });

  it('are unchanged for a site that offers none of them any more', () => {
    const retried = findRetriedItems([{ site_id: 1, items: [SHOP] as RunItem[], succeeded: null }]);
    expect(chosenOn(1, [FORM] as RunItem[], retried)).toEqual([FORM]);
  });
});
