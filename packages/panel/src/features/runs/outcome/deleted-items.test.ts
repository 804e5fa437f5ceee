import type { BulkUpdateResponse, Inventory } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { describeDeletedItems, findMissingItems } from './deleted-items.ts';

const pending = { version: '1.0', new_version: '2.0', active: true };
const inventory = (plugins: string[], themes: string[]): Inventory => ({
  plugins: plugins.map((name) => ({ plugin: `${name}/${name}.php`, name, ...pending })),
  themes: themes.map((slug) => ({ slug, name: `Theme ${slug}`, ...pending })),
  core: { version: '6.0', new_version: '6.1' },
});
const respond = (plugins: string[], themes: string[] = []): BulkUpdateResponse => {
  const done = { new_version: '2.0', success: true };
  return {
    success: true,
    results: {
      plugins: plugins.map((name) => ({ slug: `${name}/${name}.php`, ...done })),
      themes: themes.map((slug) => ({ slug, ...done })),
      core: null,
    },
    errors: [],
  };
};
const BEFORE = inventory(['shop', 'forms'], ['shop', 'paper']);

function describeAfter(response: BulkUpdateResponse, after: Inventory, before = BEFORE) {
  return describeDeletedItems(findMissingItems(before, response), after);
}

describe('items that were deleted between the report and the update', () => {
  it('are named, by type and slug', () => {
    expect(describeAfter(respond(['forms'], ['paper']), inventory(['forms'], ['shop']))).toBe(
      'Not updated, because not installed on the site any more: shop. The files were deleted there after the last report.',
    );
    expect(describeAfter(respond([]), inventory([], []))).toContain(
      'any more: shop, forms, Theme shop, Theme paper.',
    );
  });

  it('are not items that the response mentions, or that are still installed', () => {
    expect(
      describeAfter(respond(['shop', 'forms'], ['shop', 'paper']), inventory([], [])),
    ).toBeNull();
    expect(describeAfter(respond([]), BEFORE)).toBeNull();
    expect(findMissingItems(inventory([], []), respond([]))).toEqual([]);
  });

  it('are counted from the sixth on', () => {
    const many = inventory(['a', 'b', 'c', 'd', 'e', 'f', 'g'], []);
    expect(describeAfter(respond([]), inventory([], []), many)).toContain(
      ': a, b, c, d, e, 2 more.',
    );
  });
});
