import { UPDATE_ITEMS_MAX } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { readUpdateItems } from './read-update-items.ts';

/** The conformance suite tests every invalid item over HTTP. */
describe('readUpdateItems', () => {
  const GOOD = { type: 'plugin', slug: 'good/good.php' };

  it('returns null only without a list', () => {
    expect(readUpdateItems({})).toBeNull();
    expect(readUpdateItems({ other: true })).toBeNull();
    for (const items of [null, false, 0, '', {}, []]) {
      expect(() => readUpdateItems({ items })).toThrow('list of 1 to 200 items');
    }
  });

  it('refuses a body that is not an object', () => {
    for (const body of [null, 5, 'x', [], [GOOD]]) {
      expect(() => readUpdateItems(body)).toThrow('not a JSON object');
    }
  });

  it('returns the items in their order, without unknown fields', () => {
    const items = [
      { type: 'core', slug: 'core' },
      { ...GOOD, version: '1.1' },
      { type: 'translation', slug: 'all' },
      { type: 'theme', slug: 'Twenty Twenty-Four.1' },
      { type: 'plugin', slug: 'single.php' },
    ];
    const sent = items.map((item) => ({ ...item, name: 'Any' }));
    expect(readUpdateItems({ items: sent })).toEqual(items);
  });

  it('accepts the same slug for two types', () => {
    const items = ['plugin', 'theme'].map((type) => ({ type, slug: 'same.php' }));
    expect(readUpdateItems({ items })).toEqual(items);
  });

  it('names the position and the slug of an invalid item', () => {
    const refuse = (item: unknown) => () => readUpdateItems({ items: [GOOD, item] });
    expect(refuse(GOOD)).toThrow('Item 2 (good/good.php) is a duplicate of item 1.');
    expect(refuse({ type: 'theme', slug: 'a/b' })).toThrow('Item 2 (a/b) has an invalid slug.');
    expect(refuse({ type: 'theme' })).toThrow('Item 2 has an invalid slug.');
    expect(refuse({ type: 'plug', slug: 'a.php' })).toThrow('Item 2 (a.php) has an unknown type.');
    expect(refuse({ ...GOOD, version: null })).toThrow('has an invalid version.');
    expect(refuse(7)).toThrow('Item 2 is not an object.');
  });

  it('shortens a long slug in the error', () => {
    const items = [{ type: 'theme', slug: 'x'.repeat(10_000) }];
    expect(() => readUpdateItems({ items })).toThrow(`(${'x'.repeat(100)}) has an invalid slug.`);
  });

  it('limits the number of items', () => {
    const create = (length: number) => ({
      items: Array.from({ length }, (_, i) => ({ type: 'theme', slug: `theme-${i}` })),
    });
    expect(readUpdateItems(create(UPDATE_ITEMS_MAX))).toHaveLength(UPDATE_ITEMS_MAX);
    expect(() => readUpdateItems(create(UPDATE_ITEMS_MAX + 1))).toThrow('list of 1 to 200');
  });
});
